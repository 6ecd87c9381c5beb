-- What has not been learnt from yet, in the order in which it was said.
create function aimemory.pending_turns(
    for_user      text,
    in_session    text,
    max_turns     integer default 40,
    max_attempts  integer default 5
)
returns table (
    turn_no   integer,
    role      text,
    content   text,
    said_at   timestamptz,
    attempts  integer
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    select t.turn_no, t.role, t.content, t.said_at, t.attempts
      from aimemory.turns t
     where t.user_id = for_user and t.session_id = in_session
       and t.extracted_at is null and t.attempts < max_attempts
     order by t.turn_no
     limit max_turns;
end
$function$;

comment on function aimemory.pending_turns is
    'Turns of a session that nothing has been learnt from yet, oldest first.';
