-- Stored memories that a new one may repeat, complete or contradict.
--
-- Three ways in: the same words, the same slot, and nearness in meaning (on the
-- scale for comparing memories, far stricter than that of questions). Live and
-- archived ones alike, since a preference that has faded is still the one that
-- changes. Nothing is counted as used.
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
begin
    return query
    with scale as materialized (
        select coalesce(c.similarity_floor, 0) as low,
               coalesce(c.similarity_ceiling, 1) - coalesce(c.similarity_floor, 0) as span
          from (select 1) one
          left join aimemory.calibrations c
            on c.model_id = near_model and c.comparing = 'memories'
           and c.script = aimemory.script(new_content)
    ), compared as materialized (
        select v.memory_id, (max(1 - (v.embedding <=> near_vector)) - s.low) / s.span as similarity
          from scale s
         cross join aimemory.memory_vectors v
         where v.user_id = for_user and v.model_id = near_model and v.cold in (false, true)
           and near_vector is not null
         group by v.memory_id, s.low, s.span
    ), nominated as (
        select m.memory_id
          from aimemory.memories m
         where m.user_id = for_user and m.scope = in_scope and m.status = 'active'
           and (m.content_hash = aimemory.content_hash(new_content) or m.slot = in_slot)
        union
        select a.memory_id
          from aimemory.archive a
         where a.user_id = for_user and a.scope = in_scope and a.status = 'active'
           and (a.content_hash = aimemory.content_hash(new_content) or a.slot = in_slot)
        union
        select n.memory_id
          from (select c.memory_id
                  from compared c
                  -- One look-up each, from the nearest on: what other scopes hold, and what
                  -- has been replaced, takes no place.
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
                 where c.similarity >= at_least
                 order by c.similarity desc, c.memory_id
                 limit max_results) n
    )
    select o.memory_id, o.content, o.memory_type, o.slot, o.entities, o.archived_at is not null,
           o.content_hash = aimemory.content_hash(new_content), coalesce(o.slot = in_slot, false),
           c.similarity, o.created_at
      from nominated n
      join aimemory.all_memories o
        on o.user_id = for_user and o.memory_id = n.memory_id
       and o.status = 'active' and o.scope = in_scope
      left join compared c on c.memory_id = n.memory_id
     order by o.content_hash = aimemory.content_hash(new_content) desc,
              coalesce(o.slot = in_slot, false) desc, c.similarity desc nulls last,
              o.archived_at is not null, o.memory_id
     limit max_results;
end
$function$;

comment on function aimemory.probe_memories is
    'Memories with the same words, the same slot or a near meaning, live and archived; reads only.';
