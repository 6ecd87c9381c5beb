-- Add one batch to what a run has done; false when somebody has asked it to stop.
create function aimemory.count_batch(this_run uuid, how_many bigint)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    goes_on boolean;
begin
    perform aimemory.require_maintainer();
    update aimemory.maintenance_runs r
       set rows_changed = r.rows_changed + how_many, batches = r.batches + 1
     where r.run_id = this_run
    returning r.status = 'running' into goes_on;
    return coalesce(goes_on, false);
end
$function$;

comment on function aimemory.count_batch is
    'Adds a batch and its rows to a run; false when the run has been stopped.';
