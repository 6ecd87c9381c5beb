-- Move one batch of memories that have run out to the archive.
--
-- Two ways to run out: the time to live of the type has passed since the memory was
-- last confirmed (or since its event), or what is left of its importance has fallen
-- below the limit. A pinned memory does neither. Both are pure functions of stored
-- facts and of as_of, so it does not matter how often this runs. Users are taken in
-- order, so two runs at once wait for each other instead of deadlocking.
create function aimemory.archive_due(
    max_rows  integer          default 1000,
    below     double precision default 0.3,
    as_of     timestamptz      default now()
)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    due    record;
    moved  bigint := 0;
begin
    perform aimemory.require_maintainer();
    for due in
        select m.user_id, m.memory_id,
               case when extract(epoch from as_of - u.kept_since) > t.ttl_seconds then 'ttl'
                    else 'faded' end as reason
          from aimemory.memories m
          join aimemory.memory_types t on t.memory_type = m.memory_type
          left join aimemory.memory_access a
            on a.user_id = m.user_id and a.memory_id = m.memory_id
         cross join lateral (
               select greatest(m.last_confirmed_at, m.created_at, m.event_at) as kept_since) u
         where m.status = 'active' and not m.pinned
           and (extract(epoch from as_of - u.kept_since) > t.ttl_seconds
                or aimemory.effective_importance(
                       m.importance, t.decay_factor,
                       case when m.importance >= t.decay_floor_from then t.decay_floor end,
                       greatest(u.kept_since, a.last_access_at), as_of) < below)
         order by m.user_id, m.memory_id
         limit max_rows
    loop
        if aimemory.archive_memory(due.user_id, due.memory_id, due.reason, 'upkeep', as_of) then
            moved := moved + 1;
        end if;
    end loop;
    return moved;
end
$function$;

comment on function aimemory.archive_due is
    'Archives one batch of memories whose time is over or whose importance has faded; returns how many.';
