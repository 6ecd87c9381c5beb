-- End a row of maintenance_runs; one that has been stopped says so already.
create function aimemory.finish_run(
    this_run  uuid,
    outcome   text,
    failure   text        default null,
    as_of     timestamptz default now()
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.require_maintainer();
    update aimemory.maintenance_runs r
       set status = outcome, error = failure, finished_at = as_of
     where r.run_id = this_run and r.status = 'running';
end
$function$;

comment on function aimemory.finish_run is
    'Notes how a run ended: done, skipped or failed, and why.';
