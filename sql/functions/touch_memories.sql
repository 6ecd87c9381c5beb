-- Note that memories were given to the caller, which keeps them from fading.
--
-- Recall itself writes nothing. Only active memories are touched: what is superseded
-- must not stay young by being looked at. An archived one that has answered is live
-- again, unless somebody put it away by hand or another holds its text or its slot.
create function aimemory.touch_memories(
    for_user  text,
    targets   uuid[],
    as_of     timestamptz default now()
)
returns integer
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    cold    uuid;
    touched integer;
begin
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
    update aimemory.memory_access a
       set last_access_at = greatest(a.last_access_at, as_of),
           access_count = a.access_count + 1
      from aimemory.memories m
     where a.user_id = for_user and a.memory_id = any (targets)
       and m.user_id = for_user and m.memory_id = a.memory_id and m.status = 'active';
    get diagnostics touched = row_count;
    return touched;
end
$function$;

comment on function aimemory.touch_memories is
    'Counts one use of each active memory and restarts its fading, archived ones restored; returns how many.';
