-- Memories of one user nearest in meaning to one that is stored.
--
-- No model is called: the vector is the stored one. It reads live and archived
-- memories alike and counts nothing as used. Before a memory is stored, see
-- probe_memories.
create function aimemory.similar_to(
    for_user     text,
    target       uuid,
    max_results  integer          default 10,
    at_least     double precision default 0.3
)
returns table (
    memory_id    uuid,
    content      text,
    memory_type  text,
    scope        text,
    slot         text,
    status       text,
    archived     boolean,
    similarity   double precision
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    with model as materialized (
        select e.model_id, coalesce(c.similarity_floor, 0) as low,
               coalesce(c.similarity_ceiling, 1) - coalesce(c.similarity_floor, 0) as span
          from aimemory.embedding_models e
          left join aimemory.all_memories t on t.user_id = for_user and t.memory_id = target
          left join aimemory.calibrations c
            on c.model_id = e.model_id and c.script = aimemory.script(t.content)
           and c.comparing = 'memories'
         where e.active
    ), sample as materialized (
        select v.embedding
          from aimemory.memory_vectors v
         where v.user_id = for_user and v.memory_id = target
           and v.model_id = (select m.model_id from model m)
    ), others as (
        -- Two scans, as in recall: what fits into the covering index comes from there alone.
        select i.memory_id, i.embedding
          from aimemory.memory_vectors i
         where i.user_id = for_user and i.cold in (false, true) and i.indexable
           and i.model_id = (select m.model_id from model m) and i.memory_id <> target
        union all
        select l.memory_id, l.embedding
          from aimemory.memory_vectors l
         where l.user_id = for_user and l.cold in (false, true) and not l.indexable
           and l.model_id = (select m.model_id from model m) and l.memory_id <> target
    ), compared as (
        select v.memory_id, (max(1 - (v.embedding <=> s.embedding)) - m.low) / m.span as similarity
          from model m
         cross join sample s
         cross join others v
         group by v.memory_id, m.low, m.span
    )
    select a.memory_id, a.content, a.memory_type, a.scope, a.slot, a.status,
           a.archived_at is not null, c.similarity
      from (select * from compared n where n.similarity >= at_least
             order by n.similarity desc, n.memory_id limit max_results) c
      join aimemory.all_memories a on a.user_id = for_user and a.memory_id = c.memory_id
     order by c.similarity desc, c.memory_id;
end
$function$;

comment on function aimemory.similar_to is
    'Memories nearest in meaning to a stored one (calibrated similarity), live and archived.';
