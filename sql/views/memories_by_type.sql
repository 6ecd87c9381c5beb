-- How much is remembered of each type, over all users, also of types without memories.
create view aimemory.memories_by_type with (security_invoker = true) as
with stored as (
    select m.memory_type, m.importance,
           case when m.archived_at is null then m.status else 'archived' end as state,
           greatest(m.last_confirmed_at, m.created_at, m.event_at, m.last_access_at) as used_at
      from aimemory.all_memories m
)
select t.memory_type,
       count(*) filter (where s.state = 'active') as active,
       count(*) filter (where s.state = 'superseded') as superseded,
       count(*) filter (where s.state = 'archived') as archived,
       avg(s.importance) filter (where s.state = 'active') as mean_importance,
       avg(aimemory.effective_importance(
               s.importance, t.decay_factor,
               case when s.importance >= t.decay_floor_from then t.decay_floor end,
               s.used_at, now())) filter (where s.state = 'active') as mean_left
  from aimemory.memory_types t
  left join stored s on s.memory_type = t.memory_type
 group by t.memory_type;

comment on view aimemory.memories_by_type is
    'How many memories there are of each type, and what is left of them; it reads every memory.';
comment on column aimemory.memories_by_type.active is 'Live and not replaced.';
comment on column aimemory.memories_by_type.superseded is 'Live and replaced by newer ones.';
comment on column aimemory.memories_by_type.archived is 'In the archive, replaced or not.';
comment on column aimemory.memories_by_type.mean_importance is
    'Mean importance of the active ones as given, 0 to 1.';
comment on column aimemory.memories_by_type.mean_left is
    'Mean of what time has left of it, as of now: aimemory.effective_importance.';
