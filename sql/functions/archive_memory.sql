-- Move one memory to cold storage, with its vectors and postings.
create function aimemory.archive_memory(
    for_user    text,
    target      uuid,
    because     text        default 'manual',
    changed_by  text        default null,
    as_of       timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    its_text  text;
    its_words tsvector;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    with moved as (
        delete from aimemory.memories m
         where m.user_id = for_user and m.memory_id = target
        returning m.*
    )
    insert into aimemory.archive
        (user_id, memory_id, content, memory_type, importance, scope, slot, entities, tags,
         keywords, content_hash, evidence, speaker, session_id, turn_no, status, superseded_by,
         superseded_at, valid_from, valid_until, event_at, created_at, updated_at,
         last_confirmed_at, confirm_count, pinned, standing, idempotency_key, metadata,
         archived_at, archive_reason, archived_importance)
    select m.user_id, m.memory_id, m.content, m.memory_type, m.importance, m.scope, m.slot,
           m.entities, m.tags, m.keywords, m.content_hash, m.evidence, m.speaker, m.session_id,
           m.turn_no, m.status, m.superseded_by, m.superseded_at, m.valid_from, m.valid_until,
           m.event_at, m.created_at, m.updated_at, m.last_confirmed_at, m.confirm_count, m.pinned,
           m.standing, m.idempotency_key, m.metadata,
           as_of, because,
           aimemory.effective_importance(
               m.importance, t.decay_factor,
               case when m.importance >= t.decay_floor_from then t.decay_floor end,
               greatest(m.last_confirmed_at, m.created_at, m.event_at, a.last_access_at), as_of)
      from moved m
      join aimemory.memory_types t on t.memory_type = m.memory_type
      left join aimemory.memory_access a on a.user_id = for_user and a.memory_id = m.memory_id;
    if not found then
        return false;
    end if;
    select a.content, a.keywords into its_text, its_words
      from aimemory.archive a
     where a.user_id = for_user and a.memory_id = target;
    perform aimemory.store_terms(for_user, target, true, its_words, its_words);
    update aimemory.memory_vectors v
       set cold = true
     where v.user_id = for_user and v.memory_id = target;
    perform aimemory.note_revision(
        for_user, target, 'archived', because, changed_by, its_text, null, as_of);
    return true;
end
$function$;

comment on function aimemory.archive_memory is
    'Moves one memory from memories to archive, id kept; false if it is not live.';
