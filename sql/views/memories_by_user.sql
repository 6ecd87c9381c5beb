-- How much is remembered of each user, one row a user, also of those without memories.
create view aimemory.memories_by_user with (security_invoker = true) as
with counted as (
    select m.user_id,
           count(*) filter (where m.archived_at is null and m.status = 'active') as active,
           count(*) filter (where m.archived_at is null and m.status = 'superseded') as superseded,
           count(*) filter (where m.archived_at is not null) as archived,
           count(*) filter (where m.archived_at is null and m.pinned) as pinned,
           min(m.created_at) as oldest_at,
           max(m.created_at) as newest_at,
           max(m.last_access_at) filter (where m.access_count > 0) as last_recalled_at
      from aimemory.all_memories m
     group by m.user_id
)
select u.user_id, coalesce(c.active, 0) as active, coalesce(c.superseded, 0) as superseded,
       coalesce(c.archived, 0) as archived, coalesce(c.pinned, 0) as pinned,
       c.oldest_at, c.newest_at, c.last_recalled_at
  from aimemory.users u
  left join counted c on c.user_id = u.user_id;

comment on view aimemory.memories_by_user is
    'How many memories each user has, and from when; without a user_id it reads every memory.';
comment on column aimemory.memories_by_user.active is 'Live and not replaced.';
comment on column aimemory.memories_by_user.superseded is 'Live and replaced by newer ones.';
comment on column aimemory.memories_by_user.archived is 'In the archive, replaced or not.';
comment on column aimemory.memories_by_user.pinned is 'Live ones that upkeep never archives.';
comment on column aimemory.memories_by_user.oldest_at is
    'When the oldest one was stored, archived ones included; null: there is none.';
comment on column aimemory.memories_by_user.newest_at is 'When the newest one was stored.';
comment on column aimemory.memories_by_user.last_recalled_at is
    'When one was last given to the assistant; null: never.';
