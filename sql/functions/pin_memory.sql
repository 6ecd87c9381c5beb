-- Exempt a live memory from fading and TTL, or lift that.
create function aimemory.pin_memory(
    for_user    text,
    target      uuid,
    is_pinned   boolean     default true,
    changed_by  text        default null,
    as_of       timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    its_text text;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    update aimemory.memories m
       set pinned = is_pinned
     where m.user_id = for_user and m.memory_id = target and m.pinned <> is_pinned
    returning m.content into its_text;
    if found then
        perform aimemory.set_due(for_user, array[target], as_of => as_of);
        perform aimemory.note_revision(
            for_user, target, case when is_pinned then 'pinned' else 'unpinned' end, null,
            changed_by, its_text, null, as_of);
    end if;
    return exists (select from aimemory.memories m
                    where m.user_id = for_user and m.memory_id = target);
end
$function$;

comment on function aimemory.pin_memory is
    'Pins or unpins a live memory; upkeep never archives a pinned one. False if there is none.';
