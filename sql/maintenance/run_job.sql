-- Run one upkeep job to its end, batch by batch, each in a transaction of its own.
--
-- Whoever has the lock of the job runs it; another worker leaves a row that says skipped.
-- The lock is the session's, so that it spans the batches, and goes with a session that
-- dies. An error ends the job, not the procedure: what the batches before it did is kept
-- and counted. A procedure with a search path of its own could not commit.
create procedure aimemory.run_job(
    which         text,
    inout failure text,
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
    lock_key  bigint := hashtextextended('aimemory.' || which, 0);
    this_run  uuid;
    step      record;
    at_user   text := '';
    at_id     uuid := '00000000-0000-0000-0000-000000000000';
    complete  boolean := true;
    is_last   boolean := false;
begin
    perform aimemory.require_maintainer();
    failure := null;
    -- Inside somebody's transaction this fails, before there is a lock to be left behind.
    commit;
    if not pg_try_advisory_lock(lock_key) then
        insert into aimemory.maintenance_runs
            (run_id, job, status, dry_run, started_at, finished_at, worker)
        values (gen_random_uuid(), which, 'skipped', is_rehearsal, now(), now(), by_worker);
        return;
    end if;
    this_run := aimemory.start_run(which, is_rehearsal, by_worker, clock_timestamp());
    commit;
    while failure is null and not is_last loop
        begin
            select b.done, b.left_out, b.last_user, b.last_id, b.is_last into step
              from aimemory.run_batch(
                       which, at_user, at_id, complete, max_rows, is_rehearsal, log_days, as_of) b;
            perform aimemory.count_batch(this_run, step.done);
            at_user := step.last_user;
            at_id := step.last_id;
            complete := complete and step.left_out = 0;
            is_last := step.is_last;
        exception when others then
            failure := sqlerrm;
        end;
        commit;
    end loop;
    perform aimemory.finish_run(
        this_run, case when failure is null then 'done' else 'failed' end, failure,
        clock_timestamp());
    commit;
    perform pg_advisory_unlock(lock_key);
end
$procedure$;

comment on procedure aimemory.run_job is
    'Runs one upkeep job batch by batch, unless another worker is at it; failure comes back as null or a message.';
