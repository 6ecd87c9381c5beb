-- Everything of one user as JSON: a header, then one record a row, in the order in which
-- aimemory.import_records takes them.
--
-- Ids, history, links and times are those of the tables. What follows from other columns
-- (keywords, content_hash, postings, due dates) is left out, and so is the log of recalls.
create function aimemory.export_user(for_user text, as_of timestamptz default now())
returns table (kind text, record jsonb)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
declare
    models text[] := array(select distinct v.model_id from aimemory.memory_vectors v
                            where v.user_id = for_user order by v.model_id);
begin
    return query
    select 'header', jsonb_build_object(
               'format', 'aimemory', 'version', 1, 'exported_at', as_of, 'user_id', for_user,
               'models', aimemory.described_models(models));
    return query
    select 'user', to_jsonb(u) - 'user_id' from aimemory.users u where u.user_id = for_user;
    return query
    select 'alias', to_jsonb(a) - 'user_id'
      from aimemory.entity_aliases a where a.user_id = for_user order by a.alias;
    return query
    with vectors as (
        select v.memory_id, jsonb_agg(
                   jsonb_build_object('model_id', v.model_id, 'embedding', v.embedding::text)
                   order by v.model_id, v.chunk) as embeddings
          from aimemory.memory_vectors v
         where v.user_id = for_user
         group by v.memory_id
    ), stored as (
        select m.memory_id, m.created_at, to_jsonb(m) as columns
          from aimemory.memories m where m.user_id = for_user
        union all
        select a.memory_id, a.created_at, to_jsonb(a)
          from aimemory.archive a where a.user_id = for_user
    )
    select 'memory', s.columns - array['user_id', 'keywords', 'content_hash']
           || coalesce(to_jsonb(u) - array['user_id', 'memory_id', 'due_at'], '{}')
           || jsonb_build_object('vectors', coalesce(v.embeddings, '[]'))
      from stored s
      left join aimemory.memory_access u on u.user_id = for_user and u.memory_id = s.memory_id
      left join vectors v on v.memory_id = s.memory_id
     order by s.created_at, s.memory_id;
    return query
    select 'revision', to_jsonb(r) - 'user_id'
      from aimemory.memory_revisions r where r.user_id = for_user
     order by r.memory_id, r.revision;
    return query
    select 'session', to_jsonb(s) - 'user_id'
      from aimemory.sessions s where s.user_id = for_user order by s.session_id;
    return query
    select 'turn', to_jsonb(t) - 'user_id'
      from aimemory.turns t where t.user_id = for_user order by t.session_id, t.turn_no;
    return query
    select 'candidate', to_jsonb(c) - array['user_id', 'content_hash']
      from aimemory.candidates c where c.user_id = for_user order by c.created_at, c.candidate_id;
    return query
    select 'veto', to_jsonb(v) - 'user_id'
      from aimemory.vetoes v where v.user_id = for_user order by v.created_at, v.veto_id;
end
$function$;

comment on function aimemory.export_user is
    'Everything of one user but the log, as JSON records in the order in which they are imported.';
