-- What happened to one memory, oldest change first.
create function aimemory.memory_history(for_user text, target uuid)
returns table (
    revision    integer,
    action      text,
    reason      text,
    actor       text,
    content     text,
    details     jsonb,
    changed_at  timestamptz
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    select r.revision, r.action, r.reason, r.actor, r.content, r.details, r.changed_at
      from aimemory.memory_revisions r
     where r.user_id = for_user and r.memory_id = target
     order by r.revision;
end
$function$;

comment on function aimemory.memory_history is
    'Every change of one memory, oldest first, with the text before the change.';
