-- A page of one user's memories, newest first.
--
-- Pages are told apart by the last row of the page before (its time and id), not
-- by a count of rows: what is added or erased meanwhile shifts nothing, so every
-- memory that was there at the start is seen exactly once.
create function aimemory.list_memories(
    for_user         text,
    page_size        integer     default 100,
    older_than       timestamptz default null,
    older_than_id    uuid        default null,
    in_scopes        text[]      default null,
    of_types         text[]      default null,
    with_tags        text[]      default null,
    metadata_filter  jsonpath    default null,
    with_status      text        default 'active'
)
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
    if with_status is null or with_status not in ('active', 'superseded', 'archived', 'all') then
        raise exception 'with_status must be active, superseded, archived or all, not %', with_status
            using errcode = 'MM001';
    end if;
    return query
    select m.memory_id, m.content, m.memory_type, m.importance, m.scope, m.slot, m.entities,
           m.tags, m.metadata, m.status, m.superseded_by, m.superseded_at, m.valid_from,
           m.valid_until, m.event_at, m.created_at, m.updated_at, m.last_confirmed_at,
           m.confirm_count, m.pinned, m.standing, m.evidence, m.speaker, m.session_id, m.turn_no,
           m.archived_at, m.archive_reason, m.last_access_at, m.access_count
      from aimemory.all_memories m
     where m.user_id = for_user
       and (older_than is null or (m.created_at, m.memory_id) < (older_than, older_than_id))
       and (in_scopes is null or m.scope = any (in_scopes))
       and (of_types is null or m.memory_type = any (of_types))
       and (with_tags is null or m.tags @> with_tags)
       and (metadata_filter is null or coalesce(m.metadata @@ metadata_filter, false))
       and case with_status
               when 'all' then true
               when 'archived' then m.archived_at is not null
               else m.archived_at is null and m.status = with_status
           end
     order by m.created_at desc, m.memory_id desc
     limit page_size;
end
$function$;

comment on function aimemory.list_memories is
    'One page of a user''s memories, newest first; pass created_at and id of the last row for the next.';
