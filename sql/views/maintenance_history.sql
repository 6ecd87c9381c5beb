-- Every run of an upkeep job, and how long it took.
create view aimemory.maintenance_history with (security_invoker = true) as
select r.run_id, r.job, r.status, r.dry_run, r.started_at, r.finished_at,
       extract(epoch from coalesce(r.finished_at, now()) - r.started_at) as seconds,
       r.rows_changed, r.batches, r.worker, r.error
  from aimemory.maintenance_runs r;

comment on view aimemory.maintenance_history is
    'Every run of an upkeep job with its duration; order by started_at desc for the latest.';
comment on column aimemory.maintenance_history.status is
    'running, done, skipped (another worker was at it) or failed.';
comment on column aimemory.maintenance_history.dry_run is
    'True: it only counted what it would change.';
comment on column aimemory.maintenance_history.rows_changed is
    'Memories, sessions or log entries that it changed, or would have changed.';
comment on column aimemory.maintenance_history.worker is
    'Who ran it: a host and a process, or pg_cron.';
comment on column aimemory.maintenance_history.seconds is
    'How long it took; so far, if it is still running.';
comment on column aimemory.maintenance_history.batches is 'In how many steps it was done.';
comment on column aimemory.maintenance_history.error is 'Why it failed.';
