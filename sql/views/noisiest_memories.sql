-- How often each memory came back, out of all the questions of its user.
create view aimemory.noisiest_memories with (security_invoker = true) as
with asked as (
    select l.user_id, count(*) as questions,
           greatest(extract(epoch from max(l.recalled_at) - min(l.recalled_at)) / 86400, 1) as days
      from aimemory.recall_log l
     group by l.user_id
), logged as (
    select l.user_id, l.recalled_at, l.injected_ids, l.candidates
      from aimemory.recall_log l
), returned as (
    select l.user_id, c.memory_id, count(*) as returned, max(l.recalled_at) as last_returned_at,
           count(*) filter (where c.memory_id = any (l.injected_ids)) as injected
      from logged l
     cross join lateral jsonb_to_recordset(l.candidates) as c(memory_id uuid)
     group by l.user_id, c.memory_id
)
select r.user_id, r.memory_id, m.content, m.memory_type, r.returned, r.injected,
       r.returned::numeric / a.questions as returned_share,
       r.returned / a.days as returned_per_day,
       r.last_returned_at
  from returned r
  join asked a on a.user_id = r.user_id
  left join aimemory.all_memories m on m.user_id = r.user_id and m.memory_id = r.memory_id;

comment on view aimemory.noisiest_memories is
    'How often each memory was found, by the log; without a user_id it reads the whole log.';
comment on column aimemory.noisiest_memories.returned is 'How often it was among what was found.';
comment on column aimemory.noisiest_memories.injected is 'How often it was put into the prompt.';
comment on column aimemory.noisiest_memories.returned_share is
    'The share of all logged questions of this user, 0 to 1, that found it; high: hardly specific.';
comment on column aimemory.noisiest_memories.returned_per_day is
    'Per day between the first and the last logged question of this user, one day at least.';
comment on column aimemory.noisiest_memories.last_returned_at is 'When it was found last.';
