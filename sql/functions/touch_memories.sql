-- Note that memories were given to the caller, which keeps them from fading.
--
-- Recall itself writes nothing. Only active memories are touched: what is superseded
-- must not stay young by being looked at. An archived one that has answered is live
-- again, unless somebody put it away by hand or another holds its text or its slot.
-- In one conversation a memory counts as used once, and its clock starts anew each time.
--
-- While somebody writes to this user, uses are not counted: a search must not wait for a
-- long import, nor deadlock with it. What is lost is one use among many.
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
    cold uuid;
begin
    if not aimemory.try_lock_user(for_user) then
        return 0;
    end if;
    for cold in
        select a.memory_id
          from aimemory.archive a
         where a.user_id = for_user and a.memory_id = any (targets)
           and a.status = 'active' and a.archive_reason <> 'manual'
         order by a.memory_id
    loop
        begin
            perform aimemory.restore_memory(for_user, cold, 'used', 'recall', as_of);
        exception when sqlstate 'MM001' then
            null;
        end;
    end loop;
    return aimemory.set_due(for_user, targets, as_of, in_session, as_of);
end
$function$;

comment on function aimemory.touch_memories is
    'Counts one use of each active memory, archived ones restored; returns how many, 0 while somebody writes to the user.';
