-- What came into the archive, day by day and by reason.
create view aimemory.archive_reasons with (security_invoker = true) as
select a.archived_at::date as day, a.archive_reason, a.memory_type,
       count(*) as memories,
       avg(a.archived_importance) as mean_left
  from aimemory.archive a
 group by a.archived_at::date, a.archive_reason, a.memory_type;

comment on view aimemory.archive_reasons is
    'What is in the archive, by the day it came there and why; it reads the whole archive.';
comment on column aimemory.archive_reasons.day is 'In the time zone of the session that asks.';
comment on column aimemory.archive_reasons.archive_reason is
    'ttl (its time was over), faded, superseded or manual.';
comment on column aimemory.archive_reasons.memories is
    'How many; those that were restored since are not among them.';
comment on column aimemory.archive_reasons.mean_left is
    'What was left of their importance on that day, on average.';
