-- Stored memories that a new one may repeat, complete or contradict.
--
-- Three ways in: the same words, the same slot, and nearness in meaning (on the
-- scale for comparing memories, far stricter than that of questions). Live and
-- archived ones alike, since a preference that has faded is still the one that
-- changes. An event holds no slot, as in add_memory. Nothing is counted as used.
create function aimemory.probe_memories(
    for_user     text,
    in_scope     text,
    new_content  text,
    in_slot      text             default null,
    near_vector  halfvec          default null,
    near_model   text             default null,
    at_least     double precision default 0.7,
    max_results  integer          default 10
)
returns table (
    memory_id    uuid,
    content      text,
    memory_type  text,
    slot         text,
    entities     text[],
    archived     boolean,
    same_words   boolean,
    same_slot    boolean,
    similarity   double precision,
    created_at   timestamptz
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
declare
    its_hash text := aimemory.content_hash(new_content);
begin
    return query
    with scale as materialized (
        select coalesce(c.similarity_floor, 0) as low,
               coalesce(c.similarity_ceiling, 1) - coalesce(c.similarity_floor, 0) as span
          from (select 1) one
          left join aimemory.calibrations c
            on c.model_id = near_model and c.comparing = 'memories'
           and c.script = aimemory.script(new_content)
    ), vectors as (
        -- Two scans, as in recall: what fits into the covering index comes from there alone.
        select i.memory_id, i.embedding
          from aimemory.memory_vectors i
         where i.user_id = for_user and i.model_id = near_model and i.cold in (false, true)
           and i.indexable and near_vector is not null
        union all
        select l.memory_id, l.embedding
          from aimemory.memory_vectors l
         where l.user_id = for_user and l.model_id = near_model and l.cold in (false, true)
           and not l.indexable and near_vector is not null
    ), compared as materialized (
        select v.memory_id, (max(1 - (v.embedding <=> near_vector)) - s.low) / s.span as similarity
          from scale s
         cross join vectors v
         group by v.memory_id, s.low, s.span
    ), nominated as (
        select m.memory_id
          from aimemory.memories m
         where m.user_id = for_user and m.scope = in_scope and m.status = 'active'
           and m.content_hash = its_hash
        union
        select m.memory_id
          from aimemory.memories m
         where m.user_id = for_user and m.scope = in_scope and m.status = 'active'
           and m.slot = in_slot and m.memory_type <> 'event'
        union
        select a.memory_id
          from aimemory.archive a
         where a.user_id = for_user and a.scope = in_scope and a.status = 'active'
           and a.content_hash = its_hash
        union
        select a.memory_id
          from aimemory.archive a
         where a.user_id = for_user and a.scope = in_scope and a.status = 'active'
           and a.slot = in_slot and a.memory_type <> 'event'
        union
        select n.memory_id
          from (select c.memory_id
                  -- One look-up each, from the nearest on, until enough are found: what other
                  -- scopes hold, and what has been replaced, takes no place.
                  from (select d.memory_id, d.similarity
                          from compared d
                         where d.similarity >= at_least
                         order by d.similarity desc, d.memory_id) c
                 cross join lateral (
                       select m.memory_id
                         from aimemory.memories m
                        where m.user_id = for_user and m.memory_id = c.memory_id
                          and m.scope = in_scope and m.status = 'active'
                       union all
                       select a.memory_id
                         from aimemory.archive a
                        where a.user_id = for_user and a.memory_id = c.memory_id
                          and a.scope = in_scope and a.status = 'active'
                        limit 1) o
                 order by c.similarity desc, c.memory_id
                 limit max_results) n
    )
    select o.memory_id, o.content, o.memory_type, o.slot, o.entities, o.is_archived,
           o.has_words, o.has_slot, c.similarity, o.created_at
      from nominated n
     cross join lateral (
           select a.memory_id, a.content, a.memory_type, a.slot, a.entities, a.created_at,
                  a.archived_at is not null as is_archived, a.content_hash = its_hash as has_words,
                  coalesce(a.slot = in_slot and a.memory_type <> 'event', false) as has_slot
             from aimemory.all_memories a
            where a.user_id = for_user and a.memory_id = n.memory_id
            limit 1) o
      left join compared c on c.memory_id = n.memory_id
     order by o.has_words desc, o.has_slot desc, c.similarity desc nulls last, o.is_archived,
              o.memory_id
     limit max_results;
end
$function$;

comment on function aimemory.probe_memories is
    'Memories with the same words, the same slot or a near meaning, live and archived; reads only.';
