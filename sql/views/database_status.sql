-- What the database holds, in one row: the numbers that `aimemory status` prints.
--
-- It counts every memory and looks for the vector of each, so it costs seconds
-- for millions of them: for a report, not for a request.
create view aimemory.database_status with (security_invoker = true) as
with stored as (
    select m.user_id, m.memory_id, m.status, false as archived from aimemory.memories m
    union all
    select a.user_id, a.memory_id, a.status, true from aimemory.archive a
), counted as (
    select count(*) filter (where not s.archived and s.status = 'active') as active_memories,
           count(*) filter (where not s.archived and s.status = 'superseded') as superseded_memories,
           count(*) filter (where s.archived) as archived_memories,
           count(*) filter (where not exists (
               select from aimemory.memory_vectors v
                where v.user_id = s.user_id and v.memory_id = s.memory_id
                  and v.model_id = (select e.model_id from aimemory.embedding_models e
                                     where e.active))) as memories_without_vector
      from stored s
), scales as (
    select c.model_id,
           jsonb_object_agg(c.script, jsonb_build_object(
               'floor', c.similarity_floor, 'ceiling', c.similarity_ceiling,
               'calibrated_at', c.calibrated_at)) as scales
      from aimemory.calibrations c
     where c.comparing = 'questions'
     group by c.model_id
), held as (
    select v.model_id, count(*) as memories
      from aimemory.memory_vectors v
     where v.chunk = 0
     group by v.model_id
), models as (
    select coalesce(jsonb_agg(jsonb_build_object(
               'model', e.model_id, 'active', e.active, 'dimensions', e.dimensions,
               'memories', coalesce(h.memories, 0),
               'scales', coalesce(s.scales, '{}'))
               order by e.active desc, e.created_at, e.model_id), '[]') as models
      from aimemory.embedding_models e
      left join scales s on s.model_id = e.model_id
      left join held h on h.model_id = e.model_id
)
select (select count(*) from aimemory.users) as users,
       c.active_memories, c.superseded_memories, c.archived_memories,
       c.memories_without_vector, m.models
  from counted c
 cross join models m;

comment on view aimemory.database_status is
    'One row of counts: users, memories, and the embedding models; it reads every memory.';
comment on column aimemory.database_status.active_memories is 'Live and not replaced.';
comment on column aimemory.database_status.superseded_memories is 'Live and replaced by newer ones.';
comment on column aimemory.database_status.memories_without_vector is
    'Found by their words only: they have no vector of the active model.';
comment on column aimemory.database_status.models is
    'The models as an array: name, active, dimensions, memories with a vector, scales of recall by script.';
