-- Every memory, live and archived, with its use counts.
create view aimemory.all_memories with (security_invoker = true) as
select m.user_id, m.memory_id, m.content, m.memory_type, m.importance, m.scope, m.slot, m.entities,
       m.tags, m.metadata, m.status, m.superseded_by, m.superseded_at, m.valid_from, m.valid_until,
       m.event_at, m.created_at, m.updated_at, m.last_confirmed_at, m.confirm_count, m.pinned,
       m.standing, m.evidence, m.speaker, m.session_id, m.turn_no, m.idempotency_key,
       m.content_hash, m.keywords,
       null::timestamptz as archived_at, null::text as archive_reason,
       a.last_access_at, coalesce(a.access_count, 0) as access_count
  from aimemory.memories m
  left join aimemory.memory_access a on a.user_id = m.user_id and a.memory_id = m.memory_id
union all
select m.user_id, m.memory_id, m.content, m.memory_type, m.importance, m.scope, m.slot, m.entities,
       m.tags, m.metadata, m.status, m.superseded_by, m.superseded_at, m.valid_from, m.valid_until,
       m.event_at, m.created_at, m.updated_at, m.last_confirmed_at, m.confirm_count, m.pinned,
       m.standing, m.evidence, m.speaker, m.session_id, m.turn_no, m.idempotency_key,
       m.content_hash, m.keywords,
       m.archived_at, m.archive_reason,
       a.last_access_at, coalesce(a.access_count, 0)
  from aimemory.archive m
  left join aimemory.memory_access a on a.user_id = m.user_id and a.memory_id = m.memory_id;

comment on view aimemory.all_memories is
    'Live and archived memories in one list; archived_at is null for live ones.';
