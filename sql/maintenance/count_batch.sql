-- Add one batch to what a run has done.
create function aimemory.count_batch(this_run uuid, how_many bigint)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.require_maintainer();
    update aimemory.maintenance_runs r
       set rows_changed = r.rows_changed + how_many, batches = r.batches + 1
     where r.run_id = this_run;
end
$function$;

comment on function aimemory.count_batch is 'Adds a batch and its rows to a run.';
