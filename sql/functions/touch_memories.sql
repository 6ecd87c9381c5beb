-- Note that memories were given to the caller, which keeps them from fading.
--
-- Recall itself writes nothing. Only active memories are touched: what is superseded
-- must not stay young by being looked at. An archived one that has answered is live
-- again, unless somebody put it away by hand or another holds its text or its slot.
-- In one conversation a memory counts as used once, and its clock starts anew each time.
create function aimemory.touch_memories(
    for_user    text,
    targets     uuid[],
    in_session  text        default null,
    as_of       timestamptz default now()
)
returns integer
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    cold     uuid[] := array(select a.memory_id
                               from aimemory.archive a
                              where a.user_id = for_user and a.memory_id = any (targets)
                                and a.status = 'active' and a.archive_reason <> 'manual'
                              order by a.memory_id);
    each_one uuid;
begin
    if cold = '{}' then
        -- Uses do not keep each other waiting, nor writers; who erases the user waits for them.
        perform from aimemory.users u where u.user_id = for_user for key share;
    else
        -- Writers lock the user first, and uses lock the rows in the order of their ids.
        perform aimemory.lock_user(for_user, as_of, create_missing => false);
        perform from aimemory.memory_access a
          where a.user_id = for_user and a.memory_id = any (targets)
          order by a.memory_id
            for no key update;
    end if;
    foreach each_one in array cold loop
        begin
            perform aimemory.restore_memory(for_user, each_one, 'used', 'recall', as_of);
        exception when sqlstate 'MM001' then
            null;
        end;
    end loop;
    return aimemory.set_due(for_user, targets, as_of, in_session, as_of);
end
$function$;

comment on function aimemory.touch_memories is
    'Counts one use of each active memory and restarts its fading, archived ones restored; returns how many.';
