-- Note how a run ended, unless it has been stopped, and give back the lock of its job.
create function aimemory.release_job(
    which     text,
    this_run  uuid,
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
    -- First: a lock of the session would outlive a failure of what follows.
    perform pg_advisory_unlock(hashtextextended('aimemory.' || which, 0));
    perform aimemory.finish_run(
        this_run, case when failure is null then 'done' else 'failed' end, failure, as_of);
end
$function$;

comment on function aimemory.release_job is
    'Ends the run of an upkeep job and gives back its lock, on the connection that claimed it.';
