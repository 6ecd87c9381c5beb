-- What took the place of what: one row for each story, with its texts in order.
--
-- A story is found from its end, a memory that nothing stored has replaced, and
-- read backwards. Each memory has one successor at most, so the way back only
-- forks; the cycle clause ends it even on rows that nobody could have written.
-- A step back names the tables and not all_memories, whose join would keep it from
-- using the indexes on superseded_by.
create view aimemory.supersede_chains with (security_invoker = true) as
with successors as (
    select distinct s.user_id, coalesce(n.memory_id, s.memory_id) as memory_id
      from aimemory.all_memories s
      left join aimemory.all_memories n
        on n.user_id = s.user_id and n.memory_id = s.superseded_by
     where s.status = 'superseded'
)
select h.user_id, h.memory_id as newest_id, h.scope, h.slot,
       case when h.status = 'superseded' then 'replacement erased'
            when h.archived_at is not null then 'archived'
            else 'active' end as state,
       c.memories, c.contents, c.contents[1] as oldest_content, c.oldest_at,
       h.content as newest_content, h.created_at as newest_at, c.last_replaced_at
  from successors e
  join aimemory.all_memories h on h.user_id = e.user_id and h.memory_id = e.memory_id
 cross join lateral (
       with recursive chain as (
           select h.memory_id, h.content, h.created_at, h.superseded_at
           union all
           select o.memory_id, o.content, o.created_at, o.superseded_at
             from chain n
            cross join lateral (
                  select m.memory_id, m.content, m.created_at, m.superseded_at
                    from aimemory.memories m
                   where m.user_id = h.user_id and m.superseded_by = n.memory_id
                  union all
                  select a.memory_id, a.content, a.created_at, a.superseded_at
                    from aimemory.archive a
                   where a.user_id = h.user_id and a.superseded_by = n.memory_id) o
       ) cycle memory_id set is_repeated using path
       select count(*) as memories, min(n.created_at) as oldest_at,
              max(n.superseded_at) as last_replaced_at,
              array_agg(n.content order by n.created_at, n.superseded_at, n.memory_id) as contents
         from chain n
        where not n.is_repeated) c
 where not exists (select from aimemory.all_memories s
                    where s.user_id = h.user_id and s.memory_id = h.superseded_by);

comment on view aimemory.supersede_chains is
    'What took the place of what, one row a chain; without a user_id it reads every memory.';
comment on column aimemory.supersede_chains.newest_id is 'The memory at the end of the chain.';
comment on column aimemory.supersede_chains.state is
    'Of the newest one: active, archived, or replaced by one that is erased (replacement erased).';
comment on column aimemory.supersede_chains.memories is 'How many the chain has, the newest included.';
comment on column aimemory.supersede_chains.contents is 'Every text, the oldest first.';
comment on column aimemory.supersede_chains.oldest_content is 'What was said first.';
comment on column aimemory.supersede_chains.oldest_at is 'When the oldest one was stored.';
comment on column aimemory.supersede_chains.newest_content is 'What was said last.';
comment on column aimemory.supersede_chains.newest_at is 'When the newest one was stored.';
comment on column aimemory.supersede_chains.last_replaced_at is 'When the last change took place.';
