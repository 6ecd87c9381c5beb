-- Memories of one user by id, live or archived, in the order asked for.
create function aimemory.get_memories(for_user text, wanted uuid[])
returns table (
    memory_id          uuid,
    content            text,
    memory_type        text,
    importance         double precision,
    scope              text,
    slot               text,
    entities           text[],
    tags               text[],
    metadata           jsonb,
    status             text,
    superseded_by      uuid,
    superseded_at      timestamptz,
    valid_from         timestamptz,
    valid_until        timestamptz,
    event_at           timestamptz,
    created_at         timestamptz,
    updated_at         timestamptz,
    last_confirmed_at  timestamptz,
    confirm_count      integer,
    pinned             boolean,
    standing           boolean,
    evidence           text,
    speaker            text,
    session_id         text,
    turn_no            integer,
    archived_at        timestamptz,
    archive_reason     text,
    last_access_at     timestamptz,
    access_count       integer
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    select m.memory_id, m.content, m.memory_type, m.importance, m.scope, m.slot, m.entities,
           m.tags, m.metadata, m.status, m.superseded_by, m.superseded_at, m.valid_from,
           m.valid_until, m.event_at, m.created_at, m.updated_at, m.last_confirmed_at,
           m.confirm_count, m.pinned, m.standing, m.evidence, m.speaker, m.session_id, m.turn_no,
           m.archived_at, m.archive_reason, m.last_access_at, m.access_count
      from aimemory.all_memories m
     where m.user_id = for_user and m.memory_id = any (wanted)
     order by array_position(wanted, m.memory_id);
end
$function$;

comment on function aimemory.get_memories is
    'Memories of one user by id, live or archived, in the order asked for; unknown ids are left out.';
