-- Put a memory before the user instead of storing it. One question is asked once.
create function aimemory.propose_candidate(
    for_user         text,
    new_content      text,
    as_type          text,
    with_importance  double precision,
    in_scope         text,
    in_slot          text,
    everything       jsonb,
    as_of            timestamptz default now()
)
returns uuid
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    its_id uuid;
begin
    perform aimemory.lock_user(for_user, as_of);
    perform aimemory.check_type(as_type);
    select c.candidate_id into its_id
      from aimemory.candidates c
     where c.user_id = for_user and c.scope = in_scope and c.state = 'pending'
       and c.content_hash = aimemory.content_hash(new_content);
    if found then
        return its_id;
    end if;
    its_id := gen_random_uuid();
    insert into aimemory.candidates
        (user_id, candidate_id, content, content_hash, memory_type, importance, scope, slot,
         proposal, created_at)
    values
        (for_user, its_id, new_content, aimemory.content_hash(new_content), as_type,
         with_importance, in_scope, in_slot, everything, as_of);
    return its_id;
end
$function$;

comment on function aimemory.propose_candidate is
    'Queues a memory for the user''s decision; the same text waits only once. Returns its id.';
