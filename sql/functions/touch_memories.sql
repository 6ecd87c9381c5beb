-- Note that memories were given to the caller, which keeps them from fading.
--
-- Recall itself writes nothing. Only active memories are touched: what is superseded
-- must not stay young by being looked at. An archived one that has answered is live
-- again, unless somebody put it away by hand or another holds its text or its slot.
-- In one conversation a memory counts as used once, and its clock starts anew each time.
--
-- It waits a moment for others who count or write, and then gives up: a search must not
-- stand behind a long import, nor deadlock with it. What is lost is one use among many.
create function aimemory.touch_memories(
    for_user    text,
    targets     uuid[],
    in_session  text        default null,
    as_of       timestamptz default now()
)
returns integer
language plpgsql volatile
set search_path from current
set lock_timeout = '200ms'
as $function$
#variable_conflict error
declare
    cold uuid;
begin
    begin
        perform aimemory.lock_user(for_user, as_of, create_missing => false);
    exception when lock_not_available then
        return 0;
    end;
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
    'Counts one use of each active memory, archived ones restored; returns how many, 0 if somebody else keeps the user locked.';
