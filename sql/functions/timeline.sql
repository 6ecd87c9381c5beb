-- What happened to one user's memories, in the order of time.
--
-- A revision keeps the text before the change. The text after it is that before the
-- next change, or the present one where there was no other.
create function aimemory.timeline(
    for_user  text,
    since     timestamptz default null,
    until     timestamptz default null,
    max_rows  integer     default 100
)
returns table (
    happened_at  timestamptz,
    action       text,
    memory_id    uuid,
    memory_type  text,
    content      text,
    text_before  text,
    event_at     timestamptz,
    reason       text,
    actor        text
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    if max_rows < 1 then
        raise exception 'max_rows must be at least 1, not %', max_rows using errcode = 'MM001';
    end if;
    if since > until then
        raise exception 'since (%) must not be after until (%)', since, until
            using errcode = 'MM001';
    end if;
    return query
    select l.happened_at, l.action, l.memory_id, l.memory_type, l.content,
           nullif(l.text_before, l.content), l.event_at, l.reason, l.actor
      from (select r.changed_at as happened_at, r.action, r.memory_id, m.memory_type,
                   coalesce(n.content, m.content) as content, r.content as text_before,
                   m.event_at, r.reason, r.actor, m.created_at, r.revision
              from aimemory.memory_revisions r
              join aimemory.all_memories m
                on m.user_id = for_user and m.memory_id = r.memory_id
              left join aimemory.memory_revisions n
                on n.user_id = for_user and n.memory_id = r.memory_id
               and n.revision = r.revision + 1
             where r.user_id = for_user
               and (since is null or r.changed_at >= since)
               and (until is null or r.changed_at < until)
             order by r.changed_at desc, m.created_at desc, r.memory_id desc, r.revision desc
             limit max_rows) l
     order by l.happened_at, l.created_at, l.memory_id, l.revision;
end
$function$;

comment on function aimemory.timeline is
    'What happened to a user''s memories from since to before until, oldest first; the last max_rows of it.';
