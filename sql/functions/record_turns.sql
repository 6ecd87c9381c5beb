-- Store what was said. Nothing is learnt here: the turns wait until something has.
create function aimemory.record_turns(
    for_user    text,
    in_session  text,
    roles       text[],
    texts       text[],
    said        timestamptz[],
    as_of       timestamptz default now()
)
returns integer[]
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    before  integer;
    numbers integer[];
begin
    perform aimemory.lock_user(for_user, as_of);
    insert into aimemory.sessions (user_id, session_id, started_at, last_turn_at)
    values (for_user, in_session, as_of, as_of)
    on conflict do nothing;
    update aimemory.sessions s
       set turn_count = s.turn_count + cardinality(texts),
           last_turn_at = greatest(s.last_turn_at, as_of),
           closed_at = null
     where s.user_id = for_user and s.session_id = in_session
    returning s.turn_count - cardinality(texts) into before;
    with added as (
        insert into aimemory.turns (user_id, session_id, turn_no, role, content, said_at)
        select for_user, in_session, before + t.nth, t.role, t.content, t.said_at
          from unnest(roles, texts, said) with ordinality as t(role, content, said_at, nth)
        returning turn_no
    )
    select array_agg(a.turn_no order by a.turn_no) into numbers from added a;
    return coalesce(numbers, '{}');
end
$function$;

comment on function aimemory.record_turns is
    'Stores turns of a session (which is created or opened again); returns their numbers.';
