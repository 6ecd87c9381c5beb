-- When upkeep will move each live memory to the archive, and why.
--
-- The moment is stored, the reason is worked out as upkeep does it: a memory goes
-- for its age if its time to live is over by then, else because it has faded.
create view aimemory.days_to_archive with (security_invoker = true) as
select m.user_id, m.memory_id, m.content, m.memory_type, m.status,
       case when m.pinned then 'pinned'
            when m.status = 'superseded' then 'superseded'
            when a.due_at is null then 'never'
            when extract(epoch from a.due_at - greatest(
                     m.last_confirmed_at, m.created_at, m.event_at)) >= t.ttl_seconds - 0.001
            then 'ttl'
            else 'faded' end as why,
       case when not m.pinned then a.due_at end as due_at,
       case when not m.pinned then extract(epoch from a.due_at - now()) / 86400 end as days_left
  from aimemory.memories m
  join aimemory.memory_types t on t.memory_type = m.memory_type
  left join aimemory.memory_access a on a.user_id = m.user_id and a.memory_id = m.memory_id;

comment on view aimemory.days_to_archive is
    'When upkeep moves each live memory, as of now; without a user_id it reads every live memory.';
comment on column aimemory.days_to_archive.status is 'active or superseded.';
comment on column aimemory.days_to_archive.why is
    'ttl (its time is over), faded, superseded (it is replaced), pinned or never (it stays).';
comment on column aimemory.days_to_archive.due_at is 'When it is due; null: never.';
comment on column aimemory.days_to_archive.days_left is
    'Days from now until then, below 0 if it is overdue; null: never.';
