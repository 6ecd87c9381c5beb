-- What waits for upkeep, and what upkeep did last, in one row.
--
-- Everything here is read from an index over what waits, so it may be asked every minute.
create view aimemory.upkeep_status
with (security_invoker = true) as
select w.pending_turns, w.parked_turns, w.oldest_pending_at, d.due_memories, d.overdue_memories,
       (select coalesce(array_agg(r.memory_type order by r.memory_type), '{}')
          from aimemory.type_rules r
         where r.applied_rules <> r.rules) as stale_types,
       exists (select from aimemory.users u
                where u.created_at < now() - make_interval(days => 2)) as in_use_for_days,
       (select coalesce(jsonb_agg(jsonb_build_object(
                   'job', j.job, 'status', l.status, 'rows', l.rows_changed, 'error', l.error,
                   'started_at', l.started_at, 'finished_at', l.finished_at,
                   'done_at', (select max(o.finished_at) from aimemory.maintenance_runs o
                                where o.job = j.job and o.status = 'done' and not o.dry_run))
                   order by j.place), '[]')
          from unnest(array['refresh_due_dates', 'archive_due', 'extract_idle',
                            'close_idle_sessions', 'purge_recall_log', 'purge_runs'])
               with ordinality as j(job, place)
          left join lateral (
               select r.status, r.rows_changed, r.error, r.started_at, r.finished_at
                 from aimemory.maintenance_runs r
                where r.job = j.job and r.status <> 'skipped' and not r.dry_run
                order by r.started_at desc
                limit 1) l on true) as jobs
  from (select count(*) filter (where t.attempts < 5) as pending_turns,
               count(*) filter (where t.attempts >= 5) as parked_turns,
               min(t.said_at) filter (where t.attempts < 5) as oldest_pending_at
          from aimemory.turns t
         where t.extracted_at is null) w
 cross join (select count(*) as due_memories,
                    count(*) filter (where a.due_at < now() - make_interval(days => 2))
                        as overdue_memories
               from aimemory.memory_access a
              where a.due_at <= now()) d;

comment on view aimemory.upkeep_status is
    'One row: turns and memories that wait for upkeep, and the last run of every job.';
comment on column aimemory.upkeep_status.pending_turns is 'Turns that nothing has been learnt from yet.';
comment on column aimemory.upkeep_status.parked_turns is
    'Turns that learning from has failed five times; aimemory.turns.last_error says why.';
comment on column aimemory.upkeep_status.due_memories is 'Live memories that the next archive_due moves.';
comment on column aimemory.upkeep_status.overdue_memories is 'Of these, due for more than two days.';
comment on column aimemory.upkeep_status.stale_types is
    'Types whose rules have changed since refresh_due_dates ran.';
comment on column aimemory.upkeep_status.in_use_for_days is
    'Whether some user has been known for more than two days.';
comment on column aimemory.upkeep_status.jobs is
    'Every job as an array: its last run that was neither skipped nor a rehearsal, and when it last succeeded.';
comment on column aimemory.upkeep_status.oldest_pending_at is
    'When the oldest turn that waits was said; null: none waits.';
