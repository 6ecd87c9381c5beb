-- Store one memory of an export, with its id, state, use and vectors.
--
-- known: the user has a memory of this id. duplicate: an active one says the same, or has
-- the idempotency key. vetoed: the user has said no to it since. Where both are active and hold one slot, the one that was confirmed
-- later stays active: superseding if that is the new one, superseded if it is the old one.
-- When it falls due follows from the rules here, and is not imported.
create function aimemory.import_memory(
    for_user  text,
    given     jsonb,
    as_of     timestamptz default now()
)
returns text
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    its       record;
    its_hash  text := aimemory.content_hash(given ->> 'content');
    words     tsvector;
    is_cold   boolean := given ->> 'archived_at' is not null;
    held      record;
    result    text := 'inserted';
    vectors   record;
begin
    perform aimemory.lock_user(for_user, as_of);
    select g.* into its
      from jsonb_to_record(given) as g(
           memory_id uuid, content text, memory_type text, importance double precision, scope text,
           slot text, entities text[], tags text[], evidence text, speaker text, session_id text,
           turn_no integer, status text, superseded_by uuid, superseded_at timestamptz,
           valid_from timestamptz, valid_until timestamptz, event_at timestamptz,
           created_at timestamptz, updated_at timestamptz, last_confirmed_at timestamptz,
           confirm_count integer, pinned boolean, standing boolean, idempotency_key text,
           metadata jsonb, archived_at timestamptz, archive_reason text,
           archived_importance double precision, last_access_at timestamptz, access_count integer,
           last_session_id text);
    -- The archive takes what has passed the checks of memories, and has none of its own.
    if is_cold and (its.content is null or length(its.content) not between 1 and 100000
                    or its.importance not between 0 and 1
                    or its.scope = '' or its.slot = '' or its.superseded_by = its.memory_id
                    or its.status not in ('active', 'superseded')
                    or (its.status = 'superseded') <> (its.superseded_at is not null)
                    or its.valid_from >= its.valid_until
                    or jsonb_typeof(its.metadata) <> 'object') then
        raise exception 'an archived memory breaks a rule that those of aimemory.memories keep'
            using errcode = 'MM001';
    end if;
    words := aimemory.keywords(its.content, its.entities);
    if exists (select from aimemory.all_memories m
                where m.user_id = for_user and m.memory_id = its.memory_id) then
        return 'known';
    elsif exists (select from aimemory.all_memories m
                   where m.user_id = for_user and m.idempotency_key = its.idempotency_key)
       or not is_cold and its.status = 'active'
          and exists (select from aimemory.memories m
                       where m.user_id = for_user and m.scope = its.scope
                         and m.content_hash = its_hash and m.status = 'active') then
        return 'duplicate';
    end if;
    if aimemory.is_vetoed(for_user, its.content, its.slot) then
        return 'vetoed';
    end if;
    select m.memory_id, m.content, m.last_confirmed_at into held
      from aimemory.memories m
     where m.user_id = for_user and m.scope = its.scope and m.slot = its.slot
       and m.status = 'active' and m.memory_type <> 'event'
       and not is_cold and its.status = 'active' and its.memory_type <> 'event';
    if held.memory_id is not null and held.last_confirmed_at > its.last_confirmed_at then
        its.status := 'superseded';
        its.superseded_by := held.memory_id;
        its.superseded_at := as_of;
        result := 'superseded';
    elsif held.memory_id is not null then
        update aimemory.memories m
           set status = 'superseded', superseded_by = its.memory_id, superseded_at = as_of
         where m.user_id = for_user and m.memory_id = held.memory_id;
        perform aimemory.note_revision(
            for_user, held.memory_id, 'superseded', 'slot taken', 'import', held.content,
            jsonb_build_object('superseded_by', its.memory_id), as_of);
        result := 'superseding';
    end if;
    if is_cold then
        insert into aimemory.archive
            (user_id, memory_id, content, memory_type, importance, scope, slot, entities, tags,
             keywords, content_hash, evidence, speaker, session_id, turn_no, status, superseded_by,
             superseded_at, valid_from, valid_until, event_at, created_at, updated_at,
             last_confirmed_at, confirm_count, pinned, standing, idempotency_key, metadata,
             archived_at, archive_reason, archived_importance)
        select for_user, its.memory_id, its.content, its.memory_type, its.importance, its.scope,
               its.slot, its.entities, its.tags, words, its_hash, its.evidence, its.speaker,
               its.session_id, its.turn_no, its.status, its.superseded_by, its.superseded_at,
               its.valid_from, its.valid_until, its.event_at, its.created_at, its.updated_at,
               its.last_confirmed_at, its.confirm_count, its.pinned, its.standing,
               its.idempotency_key, its.metadata, its.archived_at, its.archive_reason,
               its.archived_importance;
    else
        insert into aimemory.memories
            (user_id, memory_id, content, memory_type, importance, scope, slot, entities, tags,
             keywords, content_hash, evidence, speaker, session_id, turn_no, status, superseded_by,
             superseded_at, valid_from, valid_until, event_at, created_at, updated_at,
             last_confirmed_at, confirm_count, pinned, standing, idempotency_key, metadata)
        select for_user, its.memory_id, its.content, its.memory_type, its.importance, its.scope,
               its.slot, its.entities, its.tags, words, its_hash, its.evidence, its.speaker,
               its.session_id, its.turn_no, its.status, its.superseded_by, its.superseded_at,
               its.valid_from, its.valid_until, its.event_at, its.created_at, its.updated_at,
               its.last_confirmed_at, its.confirm_count, its.pinned, its.standing,
               its.idempotency_key, its.metadata;
    end if;
    insert into aimemory.memory_access
        (user_id, memory_id, last_access_at, access_count, last_session_id)
    values
        (for_user, its.memory_id, coalesce(its.last_access_at, its.created_at),
         coalesce(its.access_count, 0), its.last_session_id);
    perform aimemory.set_due(for_user, array[its.memory_id, held.memory_id], as_of => as_of);
    perform aimemory.store_terms(for_user, its.memory_id, is_cold, '', words);
    for vectors in
        select v.item ->> 'model_id' as model,
               array_agg((v.item ->> 'embedding')::halfvec order by v.nth) as embeddings
          from jsonb_array_elements(coalesce(given -> 'vectors', '[]'))
               with ordinality as v(item, nth)
         group by 1
    loop
        perform aimemory.store_vectors(
            for_user, its.memory_id, is_cold, vectors.embeddings, vectors.model);
    end loop;
    return result;
end
$function$;

comment on function aimemory.import_memory is
    'Stores a memory of an export: inserted, known, duplicate, vetoed, superseding or superseded.';
