-- When upkeep will move each live memory to the archive, in days, and why.
create view aimemory.days_to_archive with (security_invoker = true) as
select m.user_id, m.memory_id, m.content, m.memory_type, m.status,
       coalesce(d.reason, case when m.pinned then 'pinned' else 'never' end) as why,
       d.due_at,
       extract(epoch from d.due_at - now()) / 86400 as days_left
  from aimemory.due_dates d
  join aimemory.memories m on m.user_id = d.user_id and m.memory_id = d.memory_id;

comment on view aimemory.days_to_archive is
    'When upkeep moves each live memory, as of now; without a user_id it reads every live memory.';
comment on column aimemory.days_to_archive.status is 'active or superseded.';
comment on column aimemory.days_to_archive.why is
    'ttl (its time is over), faded, superseded (it is replaced), pinned or never (it stays).';
comment on column aimemory.days_to_archive.due_at is 'When it is due; null: never.';
comment on column aimemory.days_to_archive.days_left is
    'Days from now until then, below 0 if it is overdue; null: never.';
