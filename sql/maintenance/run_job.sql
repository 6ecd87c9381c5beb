-- Run one upkeep job to its end, batch by batch, each in a transaction of its own.
--
-- Whoever has the lock of the job runs it; another worker leaves a row that says skipped.
-- An error ends the job, not the procedure: what the batches before it did is kept and
-- counted. So it is when the statement is cancelled, but then nothing else is begun. A
-- procedure with a search path of its own could not commit.
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
    this_run      uuid;
    step          record;
    at_user       text := '';
    at_id         uuid := '00000000-0000-0000-0000-000000000000';
    complete      boolean := true;
    goes_on       boolean := true;
    is_cancelled  boolean := false;
begin
    perform aimemory.require_maintainer();
    failure := null;
    -- Inside somebody's transaction this fails, before there is a lock to be left behind.
    commit;
    this_run := aimemory.claim_job(which, is_rehearsal, by_worker, clock_timestamp());
    commit;
    if this_run is null then
        return;
    end if;
    while goes_on loop
        begin
            select b.done, b.left_out, b.last_user, b.last_id, b.is_last into step
              from aimemory.run_batch(
                       which, at_user, at_id, complete, max_rows, is_rehearsal, log_days, as_of) b;
            goes_on := aimemory.count_batch(this_run, step.done) and not step.is_last;
            at_user := step.last_user;
            at_id := step.last_id;
            complete := complete and step.left_out = 0;
        exception
            when query_canceled then
                failure := sqlerrm;
                goes_on := false;
                is_cancelled := true;
            when others then
                failure := sqlerrm;
                goes_on := false;
        end;
        commit;
    end loop;
    perform aimemory.release_job(which, this_run, failure, clock_timestamp());
    commit;
    if is_cancelled then
        raise query_canceled using message = failure;
    end if;
end
$procedure$;

comment on procedure aimemory.run_job is
    'Runs one upkeep job batch by batch, unless another worker is at it; failure comes back as null or a message.';
