-- Delete the history of upkeep that is old.
create function aimemory.purge_runs(
    keep_days     double precision default 90,
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
        return (select count(*) from aimemory.maintenance_runs r
                 where r.started_at < oldest_kept and r.status <> 'running');
    end if;
    delete from aimemory.maintenance_runs r
     where r.started_at < oldest_kept and r.status <> 'running';
    get diagnostics purged = row_count;
    return purged;
end
$function$;

comment on function aimemory.purge_runs is
    'Deletes rows of maintenance_runs older than so many days; returns how many.';
