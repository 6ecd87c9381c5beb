-- Upkeep: all of it, or one job. Safe to call at any time, twice, or on several machines.
--
--     call aimemory.maintain();
--     call aimemory.maintain('archive_due', is_rehearsal => true);
--
-- Every batch is committed, so it must not be called inside a transaction. What it did is
-- in aimemory.maintenance_runs; a job that failed is raised at the end, when all have run.
create procedure aimemory.maintain(
    only_job      text             default null,
    max_rows      integer          default 1000,
    is_rehearsal  boolean          default false,
    by_worker     text             default null,
    log_days      double precision default 90,
    as_of         timestamptz      default now()
)
language plpgsql
as $procedure$
#variable_conflict error
declare
    jobs     text[] := array[
        'refresh_due_dates', 'archive_due', 'close_idle_sessions', 'purge_recall_log', 'purge_runs'];
    each_job text;
    failure  text;
    failures text[] := '{}';
begin
    perform aimemory.require_maintainer();
    if only_job <> all (jobs) then
        raise exception 'there is no upkeep job %; the jobs are %',
            only_job, array_to_string(jobs, ', ') using errcode = 'MM001';
    end if;
    if max_rows < 1 or max_rows is null or not log_days >= 0 then
        raise exception 'max_rows must be at least 1, and log_days at least 0'
            using errcode = 'MM001';
    end if;
    foreach each_job in array jobs loop
        -- Nothing is archived by rules that hold no longer.
        continue when each_job <> only_job
                  and not (only_job = 'archive_due' and each_job = 'refresh_due_dates'
                           and exists (select from aimemory.type_rules r where not r.is_applied));
        call aimemory.run_job(
            each_job, failure, max_rows, is_rehearsal, by_worker, log_days, as_of);
        if failure is not null then
            failures := failures || (each_job || ': ' || failure);
        end if;
    end loop;
    if failures <> '{}' then
        raise exception 'upkeep failed: %', array_to_string(failures, '; ')
            using errcode = 'MM006';
    end if;
end
$procedure$;

comment on procedure aimemory.maintain is
    'Runs upkeep, all of it or one job, batch by batch; every run leaves a row in maintenance_runs.';
