-- Mark a memory as replaced by a newer one. Nothing is overwritten.
--
-- The newer one must be active, so it has no successor itself: links can only
-- lead forward and never form a cycle. The older one may be in the archive,
-- where fading has put it before the user changed their mind.
create function aimemory.supersede_memory(
    for_user    text,
    older       uuid,
    newer       uuid,
    why         text        default null,
    changed_by  text        default null,
    as_of       timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    old_content text;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    if older = newer then
        raise exception 'a memory cannot supersede itself' using errcode = 'MM001';
    end if;
    if not exists (select from aimemory.memories m
                    where m.user_id = for_user and m.memory_id = newer and m.status = 'active') then
        raise exception 'there is no active memory % to take the place of another', newer
            using errcode = 'MM002';
    end if;
    update aimemory.memories m
       set status = 'superseded', superseded_by = newer, superseded_at = as_of
     where m.user_id = for_user and m.memory_id = older and m.status = 'active'
    returning m.content into old_content;
    if found then
        perform aimemory.set_due(for_user, array[older], as_of => as_of);
    else
        update aimemory.archive a
           set status = 'superseded', superseded_by = newer, superseded_at = as_of,
               archive_reason = 'superseded'
         where a.user_id = for_user and a.memory_id = older and a.status = 'active'
        returning a.content into old_content;
    end if;
    if old_content is null then
        return false;
    end if;
    perform aimemory.note_revision(
        for_user, older, 'superseded', why, changed_by, old_content,
        jsonb_build_object('superseded_by', newer), as_of);
    return true;
end
$function$;

comment on function aimemory.supersede_memory is
    'Marks a memory, live or archived, as replaced by an active one; false if it is replaced already.';
