-- What waits for the user's decision, oldest first, or what became of it.
create function aimemory.list_candidates(
    for_user    text,
    with_state  text    default 'pending',
    max_rows    integer default 100,
    target      uuid    default null
)
returns table (
    candidate_id  uuid,
    content       text,
    memory_type   text,
    importance    double precision,
    scope         text,
    slot          text,
    proposal      jsonb,
    state         text,
    reason        text,
    memory_id     uuid,
    created_at    timestamptz,
    decided_at    timestamptz
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    if with_state is null or with_state not in ('pending', 'approved', 'rejected') then
        raise exception 'with_state must be pending, approved or rejected, not %', with_state
            using errcode = 'MM001';
    end if;
    return query
    select c.candidate_id, c.content, c.memory_type, c.importance, c.scope, c.slot, c.proposal,
           c.state, c.reason, c.memory_id, c.created_at, c.decided_at
      from aimemory.candidates c
     where c.user_id = for_user and c.state = with_state
       and (target is null or c.candidate_id = target)
     order by c.created_at, c.candidate_id
     limit max_rows;
end
$function$;

comment on function aimemory.list_candidates is
    'Candidates of one user in a state (pending, approved, rejected), oldest first; or one of them.';
