-- Begin a row of maintenance_runs.
--
-- Only the holder of a job's lock gets here, so what stands there as running was left
-- by a worker that died.
create function aimemory.start_run(
    which         text,
    is_rehearsal  boolean     default false,
    by_worker     text        default null,
    as_of         timestamptz default now()
)
returns uuid
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    this_run uuid := gen_random_uuid();
begin
    perform aimemory.require_maintainer();
    update aimemory.maintenance_runs r
       set status = 'failed', finished_at = as_of, error = 'the worker ended before the job did'
     where r.job = which and r.status = 'running';
    insert into aimemory.maintenance_runs (run_id, job, status, dry_run, started_at, worker)
    values (this_run, which, 'running', is_rehearsal, as_of, by_worker);
    return this_run;
end
$function$;

comment on function aimemory.start_run is
    'Notes that a job begins, and that the run before it died if it never ended; returns the id of the run.';
