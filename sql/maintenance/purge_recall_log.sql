-- Delete one batch of old entries of the recall log.
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
    purged      bigint;
begin
    perform aimemory.require_maintainer();
    if is_rehearsal then
        return (select count(*)
                  from (select from aimemory.recall_log l
                         where l.recalled_at < oldest_kept
                         limit max_rows) c);
    end if;
    delete from aimemory.recall_log l
     using (select o.user_id, o.recall_id
              from aimemory.recall_log o
             where o.recalled_at < oldest_kept
             order by o.recalled_at
             limit max_rows) old
     where l.user_id = old.user_id and l.recall_id = old.recall_id;
    get diagnostics purged = row_count;
    return purged;
end
$function$;

comment on function aimemory.purge_recall_log is
    'Deletes one batch of log entries older than so many days; returns how many.';
