-- The end of a conversation, in the order in which it was said.
create function aimemory.recent_turns(
    for_user    text,
    in_session  text,
    max_turns   integer default 6
)
returns table (turn_no integer, role text, content text, said_at timestamptz)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    select l.turn_no, l.role, l.content, l.said_at
      from (select t.turn_no, t.role, t.content, t.said_at
              from aimemory.turns t
             where t.user_id = for_user and t.session_id = in_session
             order by t.turn_no desc
             limit max_turns) l
     order by l.turn_no;
end
$function$;

comment on function aimemory.recent_turns is
    'The last turns of a session, oldest first: the short-term layer.';
