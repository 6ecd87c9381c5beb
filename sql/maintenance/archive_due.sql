-- Move one batch of memories that are due to the archive.
--
-- The index over due_at says which: what is not due is not read. Each memory is archived
-- as of the moment it fell due, so it makes no difference when, how often or how many at
-- once this runs. Before it moves, its date is worked out anew from the rules of today.
--
-- It never waits: a user whose row somebody has locked, because a conversation or an
-- erasure is writing there, is left for the next batch. So it cannot deadlock.
create function aimemory.archive_due(
    max_rows      integer     default 1000,
    is_rehearsal  boolean     default false,
    as_of         timestamptz default now()
)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    stale  text[];
    busy   text[] := '{}';
    moved  bigint := 0;
    batch  record;
begin
    perform aimemory.require_maintainer();
    if is_rehearsal then
        stale := array(select r.memory_type from aimemory.type_rules r where not r.is_applied);
        return (select count(*)
                  from (select from aimemory.due_dates d
                         where d.due_at <= as_of and d.falls_due_at <= as_of
                         limit max_rows) c)
             + (select count(*)
                  -- Where the rules have changed, a run has renewed the dates before.
                  from (select from aimemory.due_dates d
                         where d.memory_type = any (stale)
                           and coalesce(d.due_at > as_of, true) and d.falls_due_at <= as_of
                         limit max_rows) c);
    end if;
    loop
        for batch in
            select n.user_id, array_agg(n.memory_id) as targets
              from (select a.user_id, a.memory_id
                      from aimemory.memory_access a
                     where a.due_at <= as_of and a.user_id <> all (busy)
                     order by a.due_at
                     limit max_rows - moved) n
             group by n.user_id
        loop
            if aimemory.try_lock_user(batch.user_id) then
                -- What does not move gets a later date: either way it is due no longer.
                moved := moved + aimemory.archive_due_of(batch.user_id, batch.targets, as_of);
            else
                busy := busy || batch.user_id;
            end if;
        end loop;
        exit when not found or moved >= max_rows;
    end loop;
    return moved;
end
$function$;

comment on function aimemory.archive_due is
    'Archives one batch of memories that are due: replaced, out of their time, or faded. Returns how many.';
