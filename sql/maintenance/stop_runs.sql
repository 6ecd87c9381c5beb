-- Ask the runs of a worker to stop: each ends after the batch it is at.
--
-- What a run has done is kept and counted, and the next run of the job goes on from there.
create function aimemory.stop_runs(by_worker text, as_of timestamptz default now())
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    stopped bigint;
begin
    perform aimemory.require_maintainer();
    update aimemory.maintenance_runs r
       set status = 'failed', finished_at = as_of,
           error = 'stopped before the end; the next run goes on'
     where r.status = 'running' and r.worker = by_worker;
    get diagnostics stopped = row_count;
    return stopped;
end
$function$;

comment on function aimemory.stop_runs is
    'Asks the running jobs of a worker to stop after the batch they are at; returns how many.';
