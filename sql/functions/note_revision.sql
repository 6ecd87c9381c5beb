-- Keep what a memory said before a change.
create function aimemory.note_revision(
    for_user     text,
    target       uuid,
    what         text,
    why          text,
    who          text,
    old_content  text,
    old_values   jsonb,
    as_of        timestamptz
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    insert into aimemory.memory_revisions
        (user_id, memory_id, revision, action, reason, actor, content, details, changed_at)
    select for_user, target, coalesce(max(r.revision), 0) + 1, what, why, who, old_content,
           coalesce(old_values, '{}'), as_of
      from aimemory.memory_revisions r
     where r.user_id = for_user and r.memory_id = target;
end
$function$;

comment on function aimemory.note_revision is
    'Adds one row to memory_revisions; called by every function that changes a memory.';
