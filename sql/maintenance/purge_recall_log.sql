-- Delete one batch of old entries of the recall log.
--
-- It waits for nobody: a user who is being written to, or erased, is left for later.
create function aimemory.purge_recall_log(
    keep_days     double precision default 90,
    max_rows      integer          default 1000,
    is_rehearsal  boolean          default false,
    as_of         timestamptz      default now()
)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    oldest_kept timestamptz := as_of - make_interval(secs => 86400 * keep_days);
    busy        text[] := '{}';
    batch       record;
    purged      bigint := 0;
begin
    perform aimemory.require_maintainer();
    if is_rehearsal then
        return (select count(*)
                  from (select from aimemory.recall_log l
                         where l.recalled_at < oldest_kept
                         limit max_rows) c);
    end if;
    loop
        for batch in
            select n.user_id, array_agg(n.recall_id) as old
              from (select l.user_id, l.recall_id
                      from aimemory.recall_log l
                     where l.recalled_at < oldest_kept and l.user_id <> all (busy)
                     order by l.recalled_at
                     limit max_rows - purged) n
             group by n.user_id
        loop
            if aimemory.try_lock_user(batch.user_id) then
                delete from aimemory.recall_log l
                 where l.user_id = batch.user_id and l.recall_id = any (batch.old);
                purged := purged + cardinality(batch.old);
            else
                busy := busy || batch.user_id;
            end if;
        end loop;
        exit when not found or purged >= max_rows;
    end loop;
    return purged;
end
$function$;

comment on function aimemory.purge_recall_log is
    'Deletes one batch of log entries older than so many days; returns how many.';
