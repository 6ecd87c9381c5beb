-- Move memories of one user to cold storage, with their vectors and postings.
--
-- One statement takes each row out of one table and puts it into the other, so a
-- memory is in exactly one of the two whatever happens meanwhile. The caller holds the
-- lock of the user. Nested loops only: a plan for an average user would read all words
-- of a large one.
create function aimemory.archive_memories(
    for_user    text,
    targets     uuid[],
    reasons     text[],
    moments     timestamptz[],
    changed_by  text default null
)
returns integer
language plpgsql volatile
set search_path from current
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict error
declare
    moved uuid[];
begin
    with gone as (
        delete from aimemory.memories m
         where m.user_id = for_user and m.memory_id = any (targets)
        returning m.*
    ), kept as (
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
               m.standing, m.idempotency_key, m.metadata, w.moment, w.reason,
               aimemory.effective_importance(
                   m.importance, t.decay_factor,
                   case when m.importance >= t.decay_floor_from then t.decay_floor end,
                   greatest(m.last_confirmed_at, m.created_at, m.event_at, a.last_access_at), w.moment)
          from unnest(targets, reasons, moments) as w(memory_id, reason, moment)
          join gone m on m.memory_id = w.memory_id
          join aimemory.memory_types t on t.memory_type = m.memory_type
          left join aimemory.memory_access a on a.user_id = for_user and a.memory_id = m.memory_id
        returning archive.memory_id
    )
    select array_agg(k.memory_id) into moved from kept k;
    if moved is null then
        return 0;
    end if;
    update aimemory.memory_terms t
       set cold = true
      from aimemory.archive a
     cross join lateral unnest(a.keywords) as w(lexeme, positions, weights)
     cross join lateral (values (w.lexeme), ('#' || w.lexeme)) as l(term)
     where a.user_id = for_user and a.memory_id = any (moved)
       and t.user_id = for_user and not t.cold and t.term = l.term and t.memory_id = a.memory_id;
    update aimemory.memory_vectors v
       set cold = true
     where v.user_id = for_user and v.memory_id = any (moved);
    update aimemory.memory_access a
       set due_at = null
     where a.user_id = for_user and a.memory_id = any (moved);
    insert into aimemory.memory_revisions
        (user_id, memory_id, revision, action, reason, actor, content, changed_at)
    select for_user, a.memory_id,
           1 + (select coalesce(max(r.revision), 0) from aimemory.memory_revisions r
                 where r.user_id = for_user and r.memory_id = a.memory_id),
           'archived', a.archive_reason, changed_by, a.content, a.archived_at
      from aimemory.archive a
     where a.user_id = for_user and a.memory_id = any (moved);
    return cardinality(moved);
end
$function$;

comment on function aimemory.archive_memories is
    'Moves live memories to the archive, each with a reason and a moment; returns how many were live.';
