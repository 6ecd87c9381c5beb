-- Record the user's yes or no. A no is remembered: neither the text is learnt again,
-- nor, if asked for, anything else in its slot.
create function aimemory.decide_candidate(
    for_user       text,
    target         uuid,
    is_approved    boolean,
    as_memory      uuid        default null,
    why            text        default null,
    with_its_slot  boolean     default false,
    as_of          timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    decided record;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    update aimemory.candidates c
       set state = case when is_approved then 'approved' else 'rejected' end,
           memory_id = as_memory, reason = why, decided_at = as_of
     where c.user_id = for_user and c.candidate_id = target and c.state = 'pending'
    returning c.content, c.slot into decided;
    if not found then
        return false;
    end if;
    if not is_approved then
        perform aimemory.add_veto(
            for_user, decided.content, case when with_its_slot then decided.slot end,
            coalesce(why, 'rejected by the user'), as_of);
    end if;
    return true;
end
$function$;

comment on function aimemory.decide_candidate is
    'Marks a pending candidate as approved or rejected; a rejection becomes a veto.';
