-- Take the lock of a job for this database session, and note that the job begins.
--
-- The lock is the session's, so that it spans transactions, and goes with a session that
-- dies. Whoever does not get it leaves a row that says skipped, and null comes back.
-- Give it back with release_job, on the same connection.
create function aimemory.claim_job(
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
begin
    perform aimemory.require_maintainer();
    if pg_try_advisory_lock(hashtextextended('aimemory.' || which, 0)) then
        begin
            return aimemory.start_run(which, is_rehearsal, by_worker, as_of);
        exception when query_canceled or others then
            -- A lock of the session outlives the statement that failed.
            perform pg_advisory_unlock(hashtextextended('aimemory.' || which, 0));
            raise;
        end;
    end if;
    insert into aimemory.maintenance_runs
        (run_id, job, status, dry_run, started_at, finished_at, worker)
    values (gen_random_uuid(), which, 'skipped', is_rehearsal, as_of, as_of, by_worker);
    return null;
end
$function$;

comment on function aimemory.claim_job is
    'Takes the lock of an upkeep job and begins its run; null when another worker is at it.';
