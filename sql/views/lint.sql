-- Rows that break what always holds, one finding a row; empty in a sound database.
--
-- Only what no constraint guarantees is looked at. Hashes and names are computed
-- anew and every posting is read, so it takes minutes where there are millions.
create view aimemory.lint with (security_invoker = true) as
with stored as (
    select m.user_id, m.memory_id, m.content, m.content_hash, m.entities, m.keywords, m.status,
           m.superseded_by, false as archived
      from aimemory.memories m
    union all
    select a.user_id, a.memory_id, a.content, a.content_hash, a.entities, a.keywords, a.status,
           a.superseded_by, true
      from aimemory.archive a
), parts as (
    select a.user_id, a.memory_id, 'memory_access' as part, null::boolean as cold
      from aimemory.memory_access a
    union
    select v.user_id, v.memory_id, 'memory_vectors', v.cold from aimemory.memory_vectors v
    union
    select t.user_id, t.memory_id, 'memory_terms', t.cold from aimemory.memory_terms t
    union
    select r.user_id, r.memory_id, 'memory_revisions', null from aimemory.memory_revisions r
), sizes as (
    select v.user_id, v.memory_id, v.model_id, vector_dims(v.embedding) as dimensions
      from aimemory.memory_vectors v
)
select 'a memory is live or archived, not both' as rule, m.user_id, m.memory_id,
       'archived at ' || a.archived_at as detail
  from aimemory.memories m
  join aimemory.archive a on a.user_id = m.user_id and a.memory_id = m.memory_id
union all
select 'a live memory has a row in memory_access', s.user_id, s.memory_id, null
  from stored s
 where not s.archived
   and not exists (select from parts p
                    where p.user_id = s.user_id and p.memory_id = s.memory_id
                      and p.part = 'memory_access')
union all
select 'a memory that ends has a due date, and no other', d.user_id, d.memory_id, d.reason
  from aimemory.due_dates d
 where (d.due_at is null) <> (d.falls_due_at is null) and d.rules_applied
union all
select 'what belongs to a memory goes with it', p.user_id, p.memory_id, p.part
  from parts p
 where not exists (select from stored s
                    where s.user_id = p.user_id and s.memory_id = p.memory_id)
union all
select 'vectors and words are cold when the memory is archived, and only then',
       p.user_id, p.memory_id, p.part || case when p.cold then ' is cold' else ' is not cold' end
  from parts p
  join stored s on s.user_id = p.user_id and s.memory_id = p.memory_id
 where p.cold <> s.archived
union all
select 'a memory with keywords has its words in memory_terms', s.user_id, s.memory_id, null
  from stored s
 where s.keywords <> ''
   and not exists (select from parts p
                    where p.user_id = s.user_id and p.memory_id = s.memory_id
                      and p.part = 'memory_terms')
union all
select 'a replacement exists', s.user_id, s.memory_id, 'superseded by ' || s.superseded_by
  from stored s
 where s.superseded_by is not null
   and not exists (select from stored n
                    where n.user_id = s.user_id and n.memory_id = s.superseded_by)
union all
select 'replacements form no circle', s.user_id, s.memory_id, 'superseded by ' || s.superseded_by
  from stored s
 cross join lateral (
       with recursive ahead as (
           select s.superseded_by as memory_id
           union
           select n.superseded_by
             from ahead b
             join aimemory.all_memories n on n.user_id = s.user_id and n.memory_id = b.memory_id
            where n.superseded_by is not null
       )
       select from ahead b where b.memory_id = s.memory_id) c
 where s.superseded_by is not null
union all
select 'a vector has the dimensions of its model', v.user_id, v.memory_id,
       v.model_id || ': ' || v.dimensions || ' instead of ' || e.dimensions
  from sizes v
  join aimemory.embedding_models e on e.model_id = v.model_id
 where v.dimensions <> e.dimensions
union all
select 'content_hash is that of the content', s.user_id, s.memory_id, s.content_hash
  from stored s
 where s.content_hash <> aimemory.content_hash(s.content)
union all
select 'entities are in canonical form', s.user_id, s.memory_id, w.entity
  from stored s
 cross join unnest(s.entities) as w(entity)
 where aimemory.entity(w.entity) <> w.entity;

comment on view aimemory.lint is
    'Rows that break an invariant, none in a sound database; very costly: it reads and recomputes all.';
comment on column aimemory.lint.rule is 'What always holds, and does not here.';
comment on column aimemory.lint.memory_id is 'The memory that it is about, erased ones included.';
comment on column aimemory.lint.detail is 'What is there instead, if there is more to say.';
