-- Note that a memory was said again: its clocks start anew, its text stays.
create function aimemory.confirm_memory(
    for_user    text,
    target      uuid,
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
    update aimemory.memories m
       set last_confirmed_at = greatest(m.last_confirmed_at, as_of),
           confirm_count = m.confirm_count + 1
     where m.user_id = for_user and m.memory_id = target and m.status = 'active'
    returning m.content into old_content;
    if not found then
        return false;
    end if;
    perform aimemory.set_due(for_user, array[target], as_of => as_of);
    perform aimemory.note_revision(
        for_user, target, 'confirmed', why, changed_by, old_content, null, as_of);
    return true;
end
$function$;

comment on function aimemory.confirm_memory is
    'Marks an active memory as said again, which restarts fading and TTL; false if there is none.';
