-- Take the caller's word on whether a recalled memory was of use.
--
-- Being recalled keeps a memory young, so a wrong one that is often recalled would never
-- fade. One that was of no use loses part of its importance, and fades sooner; one that
-- was of use counts as used once more.
create function aimemory.rate_memory(
    for_user    text,
    target      uuid,
    is_useful   boolean,
    weakening   double precision default 0.7,
    changed_by  text             default null,
    as_of       timestamptz      default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    before double precision;
begin
    if weakening is null or weakening not between 0 and 1 then
        raise exception 'weakening must be from 0 to 1, not %', weakening using errcode = 'MM001';
    end if;
    if is_useful then
        return aimemory.touch_memories(for_user, array[target], as_of => as_of) > 0;
    end if;
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    select m.importance into before
      from aimemory.memories m
     where m.user_id = for_user and m.memory_id = target and m.status = 'active';
    if not found then
        return false;
    end if;
    perform aimemory.update_memory(
        for_user, target, to_importance => before * weakening, why => 'not useful',
        changed_by => changed_by, as_of => as_of);
    return true;
end
$function$;

comment on function aimemory.rate_memory is
    'Counts a use of a memory, or weakens its importance because it was of no use; false if none is active.';
