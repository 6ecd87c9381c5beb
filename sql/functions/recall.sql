-- The few memories of one user that a question is about, best first, with every
-- part of their scores.
--
-- Read it from top to bottom:
--   settings             weights, thresholds and the calibration of the model
--   asked, named, known  the words of the question, and the names in it
--   vector_route         memories near in meaning
--   keyword_route        memories that share words with it, ranked with BM25
--   entity_route         memories about something it names
--   nominated, measured  what the routes found, with every part of the score
--   passed               the gate: what may answer at all
--   cold_…               the archive, asked only when nothing live passes
--   best, history        the best few, and what each of them has replaced
--
-- Each route walks its index in order and looks every memory up until enough
-- visible ones are found (the laterals with a limit): a filter never starves
-- a route, and no plan has to join all memories of a user. Nested loops by any
-- other way are switched off, and so are scans of whole tables: the generic plan
-- of this statement is made for an average user and has to hold for the one with a
-- hundred thousand memories as for the one with ten.
--
-- What was archived after the moment of the question was live then, and counts as live.
-- Meaning is searched exactly: an index-only scan of the user's vectors has
-- recall 1.0 and costs under a millisecond per thousand (docs/decisions/0001).
-- The statement names user_id in every table reference, so it runs on one shard.
create function aimemory.recall(
    for_user         text,
    query_text       text             default null,
    query_vector     halfvec          default null,
    query_model      text             default null,
    max_results      integer          default 5,
    in_scopes        text[]           default null,
    of_types         text[]           default null,
    with_tags        text[]           default null,
    metadata_filter  jsonpath         default null,
    query_entities   text[]           default null,
    entity_mode      text             default 'soft',
    profile_name     text             default 'balanced',
    at_least         double precision default null,
    names_from       text             default null,
    with_standing    boolean          default true,
    as_of            timestamptz      default now()
)
returns table (
    memory_id             uuid,
    content               text,
    memory_type           text,
    importance            double precision,
    scope                 text,
    entities              text[],
    tags                  text[],
    metadata              jsonb,
    created_at            timestamptz,
    updated_at            timestamptz,
    event_at              timestamptz,
    valid_until           timestamptz,
    score                 double precision,
    similarity            double precision,
    keyword               double precision,
    recency               double precision,
    forgetting            double precision,
    effective_importance  double precision,
    vector_rank           integer,
    keyword_rank          integer,
    entity_rank           integer,
    routes                text[],
    matched_terms         text[],
    matched_entities      text[],
    archived              boolean,
    history               jsonb
)
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
set enable_seqscan = off
as $function$
#variable_conflict error
begin
    perform aimemory.check_recall(
        for_user, query_vector, query_model, max_results, entity_mode, profile_name, as_of);
    return query
    with settings as materialized (
        select p.*, e.model_id, coalesce(o.similarity_floor, 0) as low,
               coalesce(o.similarity_ceiling, 1) - coalesce(o.similarity_floor, 0) as span,
               coalesce(c.similarity_floor, o.similarity_floor, 0) as cjk_low,
               coalesce(c.similarity_ceiling, o.similarity_ceiling, 1)
                   - coalesce(c.similarity_floor, o.similarity_floor, 0) as cjk_span,
               coalesce(at_least, p.min_similarity) as near_enough,
               greatest(50, 10::bigint * max_results) as breadth,
               -- A question about the past reads cold words and vectors as well.
               exists (select from aimemory.archive a
                        where a.user_id = for_user and a.archived_at > as_of) as in_past,
               -- A few memories tell nothing about which words are rare: count as if there were 100.
               greatest(100, (select count(*) from aimemory.memories m
                               where m.user_id = for_user and m.status = 'active')
                           + (select count(*) from aimemory.archive a
                               where a.user_id = for_user and a.archived_at > as_of)
                       )::double precision as stored
          from aimemory.scoring_profiles p
          left join aimemory.embedding_models e
            on query_vector is not null
           and case when query_model is null then e.active else e.model_id = query_model end
          left join aimemory.calibrations o
            on o.model_id = e.model_id and o.script = 'other' and o.comparing = 'questions'
          -- Two Chinese texts have a scale of their own; across scripts cosines are low.
          left join aimemory.calibrations c
            on c.model_id = e.model_id and c.script = 'cjk' and c.comparing = 'questions'
           and (query_text is null or aimemory.script(query_text) = 'cjk')
         where p.profile = profile_name
    ), asked as materialized (
        select distinct t.term
          from unnest(aimemory.tokens(query_text)) as t(term)
    ), spoken as materialized (
        -- The names that may be meant: those the caller gives, else any phrase of the question.
        select split_part(g.entity, '/', 1) as name,
               nullif(split_part(g.entity, '/', 2), '') as kind
          from unnest(query_entities) as w(written)
         cross join lateral aimemory.entity(w.written) as g(entity)
        union
        select f.phrase, null
          from unnest(aimemory.phrases(coalesce(names_from, query_text))) as f(phrase)
         where query_entities is null
    ), named as materialized (
        select s.name, s.kind from spoken s
        union
        select a.entity_name, a.entity_kind
          from aimemory.entity_aliases a
         where a.user_id = for_user and a.alias = any (array(select s.name from spoken s))
        union
        select k.name, null
          from unnest(aimemory.kin(array(select s.name from spoken s))) as k(name)
    ), mentions as materialized (
        select t.term, t.memory_id, t.frequency
          from aimemory.memory_terms t
         where t.user_id = for_user and t.cold = any (array[false, (select s.in_past from settings s)])
           and t.term = any (array(select '#' || n.name from named n))
         limit 24000
    ), known as materialized (
        -- One row: the named entities that live memories are about.
        select array_agg(n.name || coalesce('/' || n.kind, '')) as entities
          from named n
         where '#' || n.name in (select m.term from mentions m)

    -- Route 1: meaning. A long text has several vectors; its best one counts.
    ), cosines as (
        select i.memory_id, i.cjk, 1 - (i.embedding <=> query_vector) as cosine
          from aimemory.memory_vectors i
         where i.user_id = for_user and i.indexable
           and i.cold = any (array[false, (select s.in_past from settings s)])
           and i.model_id = (select s.model_id from settings s)
        union all
        select l.memory_id, l.cjk, 1 - (l.embedding <=> query_vector)
          from aimemory.memory_vectors l
         where l.user_id = for_user and not l.indexable
           and l.cold = any (array[false, (select s.in_past from settings s)])
           and l.model_id = (select s.model_id from settings s)
    ), near as (
        select n.memory_id, max(n.similarity) as similarity
          from (select c.memory_id, s.near_enough,
                       case when c.cjk then (c.cosine - s.cjk_low) / s.cjk_span
                            else (c.cosine - s.low) / s.span end as similarity
                  from settings s, cosines c) n
         where n.similarity >= n.near_enough
         group by n.memory_id
         order by 2 desc, 1
    ), vector_route as materialized (
        select r.memory_id, r.similarity,
               row_number() over (order by r.similarity desc, r.memory_id)::integer as place
          from (select n.memory_id, n.similarity
                  from near n
                 cross join lateral (
                       select from aimemory.all_memories m
                        where m.user_id = for_user and m.memory_id = n.memory_id
                          and (m.archived_at is null
                               or (select s.in_past from settings s) and m.archived_at > as_of)
                          and (with_standing or not m.standing)
                          and aimemory.visible(
                                  m.scope, m.memory_type, m.tags, m.metadata, m.created_at,
                                  m.superseded_at, m.valid_from, m.valid_until,
                                  in_scopes, of_types, with_tags, metadata_filter, as_of)
                        limit 1) v
                 limit (select s.breadth from settings s)) r

    -- Route 2: words. A long question has a budget of postings to read, and in one of
    -- more than six words those that are in over a fifth of the memories say little:
    -- such words are left out when rarer ones are there.
    ), postings as materialized (
        select a.term, a.most, p.memory_id, p.frequency, p.words
          from (select q.term, s.in_past,
                       greatest(s.breadth,
                                least(greatest(24000, 2 * s.stored) / count(*) over (),
                                      case when count(*) over () > 6
                                           then greatest(s.stored / 5, 200) end))::bigint as most
                  from settings s, asked q) a
         cross join lateral (select false as cold union all select true where a.in_past) as w
         cross join lateral (
               select t.memory_id, t.frequency, t.words
                 from aimemory.memory_terms t
                where t.user_id = for_user and t.cold = w.cold and t.term = a.term
                order by t.memory_id
                limit a.most + 1) p
    ), frequencies as materialized (
        select p.term, p.most, count(*)::double precision as memories, sum(p.words) as words
          from postings p
         group by p.term, p.most
    ), telling as materialized (
        select f.term,
               ln(1 + (greatest(s.stored, f.memories) - f.memories + 0.5) / (f.memories + 0.5))
                   as idf
          from settings s, frequencies f
         where f.memories <= f.most
            or not exists (select from frequencies o where o.memories <= o.most)
    ), naming as materialized (
        -- A name weighs twice as much as a word.
        select m.term,
               2 * ln(1 + (greatest(s.stored, count(*)) - count(*) + 0.5) / (count(*) + 0.5)) as idf
          from settings s, mentions m
         group by m.term, s.stored
    ), question as materialized (
        -- What its words weigh together; one that no memory has counts as the rarest.
        -- At most three such: however long the question, one rare word is an answer.
        select least(greatest(sum(coalesce(g.idf, ln(2 * s.stored + 2))), 1e-9),
                     3 * max(ln(2 * s.stored + 2))) as idf,
               (select (sum(f.words) / sum(f.memories))::double precision from frequencies f)
                   as usual_words
          from settings s
         cross join asked a
          left join telling g on g.term = a.term
         where g.term is not null or a.term not in (select f.term from frequencies f)
    ), ranked as materialized (
        -- Okapi BM25 with k1 = 1.2 and b = 0.75: 0.3 is k1 (1 - b), 0.9 is k1 b.
        -- A long memory is not less about a name for being long: b = 0 there.
        select w.memory_id, sum(w.bm25) as bm25, sum(w.idf) / q.idf as coverage,
               sum(w.names) as names
          from question q
         cross join lateral (
               select p.memory_id, g.idf, 0 as names,
                      g.idf * 2.2 * p.frequency
                          / (p.frequency + 0.3 + p.words * (0.9 / q.usual_words)) as bm25
                 from postings p
                 join telling g on g.term = p.term
               union all
               select m.memory_id, 0, 1,
                      n.idf * 2.2 * m.frequency / (m.frequency + 1.2)
                 from mentions m
                 join naming n on n.term = m.term) w
         group by w.memory_id, q.idf
    ), by_words as (
        select k.memory_id, k.bm25 from ranked k
         where k.coverage > 0
         order by k.bm25 desc, k.memory_id
    ), keyword_route as materialized (
        select r.memory_id, r.bm25,
               row_number() over (order by r.bm25 desc, r.memory_id)::integer as place
          from (select n.memory_id, n.bm25
                  from by_words n
                 cross join lateral (
                       select from aimemory.all_memories m
                        where m.user_id = for_user and m.memory_id = n.memory_id
                          and (m.archived_at is null
                               or (select s.in_past from settings s) and m.archived_at > as_of)
                          and (with_standing or not m.standing)
                          and aimemory.visible(
                                  m.scope, m.memory_type, m.tags, m.metadata, m.created_at,
                                  m.superseded_at, m.valid_from, m.valid_until,
                                  in_scopes, of_types, with_tags, metadata_filter, as_of)
                        limit 1) v
                 limit (select s.breadth from settings s)) r

    -- Route 3: entities. The most names in common first, then the best words.
    ), by_names as (
        select k.memory_id, k.names, k.bm25 from ranked k
         where k.names > 0
         order by k.names desc, k.bm25 desc, k.memory_id
    ), entity_route as materialized (
        select r.memory_id, r.bm25,
               row_number() over (order by r.names desc, r.bm25 desc, r.memory_id)::integer as place
          from (select n.memory_id, n.names, n.bm25
                  from by_names n
                 cross join lateral (
                       select from aimemory.all_memories m
                        where m.user_id = for_user and m.memory_id = n.memory_id
                          and (m.archived_at is null
                               or (select s.in_past from settings s) and m.archived_at > as_of)
                          and (with_standing or not m.standing)
                          and aimemory.visible(
                                  m.scope, m.memory_type, m.tags, m.metadata, m.created_at,
                                  m.superseded_at, m.valid_from, m.valid_until,
                                  in_scopes, of_types, with_tags, metadata_filter, as_of)
                        limit 1) v
                 limit (select s.breadth from settings s)) r

    -- What the routes found, with every part of its score.
    ), nominated as materialized (
        select v.memory_id from vector_route v
        union
        select k.memory_id from keyword_route k
        union
        select e.memory_id from entity_route e
    ), best_words as materialized (
        select max(f.bm25) as bm25
          from (select k.bm25 from keyword_route k
                union all
                select e.bm25 from entity_route e) f
    ), measured as materialized (
        select c.memory_id, m.content, m.memory_type, m.importance, m.scope, m.entities, m.tags,
               m.metadata, m.created_at, m.updated_at, m.event_at, m.valid_until,
               coalesce(v.similarity, o.similarity) as similarity,
               coalesce(b.bm25 / (select w.bm25 from best_words w), 0) as keyword,
               coalesce(b.coverage, 0) as coverage,
               v.place as vector_rank, k.place as keyword_rank, e.place as entity_rank,
               h.names as matched_entities, h.homonym,
               greatest(m.last_access_at, m.last_confirmed_at, m.created_at, m.event_at) as used_at
          from nominated c
          left join vector_route v on v.memory_id = c.memory_id
          left join keyword_route k on k.memory_id = c.memory_id
          left join entity_route e on e.memory_id = c.memory_id
          left join ranked b on b.memory_id = c.memory_id
         cross join lateral (
               select l.* from aimemory.all_memories l
                where l.user_id = for_user and l.memory_id = c.memory_id
                  and (l.archived_at is null or (select s.in_past from settings s))
                limit 1) m
         cross join lateral (
               select max(case when x.cjk
                               then (1 - (x.embedding <=> query_vector) - s.cjk_low) / s.cjk_span
                               else (1 - (x.embedding <=> query_vector) - s.low) / s.span
                          end) as similarity
                 from settings s, aimemory.memory_vectors x
                where x.user_id = for_user and x.model_id = s.model_id
                  and x.memory_id = c.memory_id and v.memory_id is null) o
         cross join known n
         cross join lateral aimemory.shared_entities(m.entities, n.entities) h
    ), passed as materialized (
        -- The gate is shut when a visible memory is about something the question names.
        select m.*
          from measured m, settings s
         where case
                   when entity_mode = 'off' or not exists (select from entity_route)
                   then m.similarity >= s.near_enough or m.coverage >= s.min_coverage
                   when m.matched_entities <> '{}' then true
                   when m.homonym or entity_mode = 'hard' then false
                   else m.similarity >= greatest(s.entity_bypass, s.near_enough)
                     or m.coverage >= s.entity_bypass
               end

    -- The archive answers, at part of its weight, when nothing live does; until
    -- then the conditions "not exists (… passed)" keep these steps from running.
    ), cold_words as materialized (
        select a.term, p.memory_id, count(*) over (partition by a.term) as memories
          from asked a
         cross join lateral (
               select t.memory_id from aimemory.memory_terms t
                where t.user_id = for_user and t.cold and t.term = a.term
                order by t.memory_id
                limit 2000) p
         where not exists (select from passed)
    ), cold_cosines as (
        select i.memory_id, i.cjk, 1 - (i.embedding <=> query_vector) as cosine
          from aimemory.memory_vectors i
         where i.user_id = for_user and i.cold and i.indexable
           and i.model_id = (select s.model_id from settings s)
           and not exists (select from passed)
        union all
        select l.memory_id, l.cjk, 1 - (l.embedding <=> query_vector)
          from aimemory.memory_vectors l
         where l.user_id = for_user and l.cold and not l.indexable
           and l.model_id = (select s.model_id from settings s)
           and not exists (select from passed)
    ), cold_found as (
        select c.memory_id,
               max(case when c.cjk then (c.cosine - s.cjk_low) / s.cjk_span
                        else (c.cosine - s.low) / s.span end) as similarity,
               0::double precision as coverage, false as is_named
          from settings s, cold_cosines c
         group by c.memory_id
        union all
        -- idf among the user's archived memories, as a share of what all asked words would weigh
        select w.memory_id, null,
               sum(ln(1 + 2000 / w.memories::double precision))
                   / (select sum(ln(1 + 2000 / coalesce(f.memories, 1)::double precision))
                        from asked a
                        left join (select distinct c.term, c.memories from cold_words c) f
                          on f.term = a.term), false
          from cold_words w
         group by w.memory_id
        union all
        select t.memory_id, null, 0, true
          from aimemory.memory_terms t
         where t.user_id = for_user and t.cold
           and t.term = any (array(select '#' || n.name from named n))
           and not exists (select from passed)
    ), cold_named as (
        select array_agg(n.name || coalesce('/' || n.kind, '')) as entities from named n
    ), cold_ranked as (
        select f.memory_id, max(f.similarity) as similarity, max(f.coverage) as coverage,
               bool_or(f.is_named) as is_named
          from cold_found f
         group by f.memory_id
         order by 2 desc nulls last, 3 desc, 1
    ), cold_passed as materialized (
        select c.memory_id, m.content, m.memory_type, m.importance, m.scope, m.entities, m.tags,
               m.metadata, m.created_at, m.updated_at, m.event_at, m.valid_until,
               c.similarity, c.coverage as keyword, c.coverage,
               null::integer as vector_rank, null::integer as keyword_rank,
               null::integer as entity_rank, h.names as matched_entities, h.homonym,
               greatest(m.last_access_at, m.last_confirmed_at, m.created_at, m.event_at) as used_at
          from cold_ranked c
         cross join settings s
         cross join lateral (
               select l.* from aimemory.all_memories l
                where l.user_id = for_user and l.memory_id = c.memory_id
                  and l.archived_at <= as_of
                  and l.importance >= s.cold_min_importance
                  and (with_standing or not l.standing)
                  and aimemory.visible(
                          l.scope, l.memory_type, l.tags, l.metadata, l.created_at,
                          l.superseded_at, l.valid_from, l.valid_until,
                          in_scopes, of_types, with_tags, metadata_filter, as_of)
                limit 1) m
         cross join cold_named n
         cross join lateral aimemory.shared_entities(m.entities, n.entities) h
         where h.names <> '{}'
            or ((c.similarity >= s.near_enough or c.coverage >= s.min_coverage)
                and case entity_mode
                        when 'off' then true
                        when 'soft' then not h.homonym
                        else not exists (select from cold_ranked r where r.is_named)
                    end)

    -- Weigh the parts, keep the best.
    ), answering as (
        select p.*, false as archived from passed p
        union all
        select c.*, true from cold_passed c
    ), parts as (
        -- A route that cannot take part leaves its weight to the other.
        select a.*,
               case when query_text is null then s.vector_weight + s.keyword_weight
                    else s.vector_weight end as vector_weight,
               case when s.model_id is null then s.vector_weight + s.keyword_weight
                    else s.keyword_weight end as keyword_weight,
               s.forgetting_weight, s.importance_weight,
               case when a.archived then s.cold_weight else 1 end as pool_weight,
               s.recency_weight as usual_weight,
               case when s.recency_weight = 0 then 0
                    else coalesce(t.recency_weight, s.recency_weight) end as recency_weight,
               aimemory.faded(power(0.5, 1 / s.half_life_days), as_of - a.updated_at) as recency,
               1 - aimemory.faded(t.decay_factor, as_of - a.used_at) as forgetting,
               aimemory.effective_importance(
                   a.importance, t.decay_factor,
                   case when a.importance >= t.decay_floor_from then t.decay_floor end,
                   a.used_at, as_of) as effective_importance,
               s.aged_importance_weight
                   * case when a.importance > 1e-30 then a.importance else 0 end * greatest(
                   s.age_floor,
                   1 - extract(epoch from as_of - a.created_at)::double precision
                       / 86400 / s.age_days) as aged_importance
          from settings s, answering a
          join aimemory.memory_types t on t.memory_type = a.memory_type
    ), best as materialized (
        select w.*
          from (select p.*,
                       p.pool_weight * (
                           (p.vector_weight * coalesce(p.similarity, 0) + p.keyword_weight * p.keyword)
                               * (1 - p.recency_weight) / (1 - p.usual_weight)
                           + p.recency_weight * p.recency
                           - p.forgetting_weight * p.forgetting
                           + p.importance_weight * p.effective_importance
                           + p.aged_importance) as total
                  from parts p) w
         order by w.total desc, w.updated_at desc, w.memory_id
         limit max_results
    ), found_words as (
        select p.memory_id, array_agg(p.term order by g.idf desc, p.term) as terms
          from postings p
          join telling g on g.term = p.term
         where p.memory_id in (select b.memory_id from best b)
         group by p.memory_id
    ), replaced as (
        with recursive chain as (
            select b.memory_id as head, b.memory_id as link, 0 as step,
                   null::text as content, null::timestamptz as said_at, null::timestamptz as ended_at
              from best b
            union all
            select c.head, o.memory_id, c.step + 1, o.content, o.created_at, o.superseded_at
              from chain c
             cross join lateral (
                   select m.memory_id, m.content, m.created_at, m.superseded_at
                     from aimemory.memories m
                    where m.user_id = for_user and m.superseded_by = c.link
                      and m.superseded_at <= as_of
                   union all
                   select a.memory_id, a.content, a.created_at, a.superseded_at
                     from aimemory.archive a
                    where a.user_id = for_user and a.superseded_by = c.link
                      and a.superseded_at <= as_of
                    order by superseded_at desc, memory_id
                    limit 20) o
             where c.step < 5
        )
        select c.head,
               jsonb_agg(jsonb_build_object(
                   'memory_id', c.link, 'content', c.content,
                   'created_at', c.said_at, 'superseded_at', c.ended_at)
                   order by c.step, c.ended_at desc) as history
          from chain c
         where c.step > 0
         group by c.head
    )
    select b.memory_id, b.content, b.memory_type, b.importance, b.scope, b.entities, b.tags,
           b.metadata, b.created_at, b.updated_at, b.event_at, b.valid_until,
           b.total, b.similarity, b.keyword, b.recency, b.forgetting, b.effective_importance,
           b.vector_rank, b.keyword_rank, b.entity_rank,
           array_remove(array[
               case when b.vector_rank is not null then 'vector' end,
               case when b.keyword_rank is not null then 'keyword' end,
               case when b.entity_rank is not null then 'entity' end,
               case when b.archived then 'archive' end], null),
           coalesce(w.terms, '{}'), b.matched_entities, b.archived,
           coalesce(r.history, '[]')
      from best b
      left join replaced r on r.head = b.memory_id
      left join found_words w on w.memory_id = b.memory_id
     order by b.total desc, b.updated_at desc, b.memory_id;
end
$function$;

comment on function aimemory.recall is
    'Memories of one user for a question, best first: meaning, words, entities and time in one score, all parts shown.';
