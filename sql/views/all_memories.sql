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
comment on column aimemory.all_memories.status is
    'active, or superseded (replaced by a newer one); archived ones keep theirs.';
comment on column aimemory.all_memories.valid_from is 'Not true before; null: since ever.';
comment on column aimemory.all_memories.valid_until is 'No longer true from then on; null: no end.';
comment on column aimemory.all_memories.speaker is 'Who said it, if that is known.';
comment on column aimemory.all_memories.archived_at is 'Null for a live memory.';
comment on column aimemory.all_memories.archive_reason is
    'ttl (its time was over), faded, superseded or manual; null for a live memory.';
comment on column aimemory.all_memories.last_access_at is
    'When it was last given to the assistant, or stored if it never was.';
comment on column aimemory.all_memories.access_count is 'How often it was given to the assistant.';
