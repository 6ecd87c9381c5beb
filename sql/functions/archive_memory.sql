-- Move one memory to cold storage now.
create function aimemory.archive_memory(
    for_user    text,
    target      uuid,
    because     text        default 'manual',
    changed_by  text        default null,
    as_of       timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    return aimemory.archive_memories(
        for_user, array[target], array[because], array[as_of], changed_by) > 0;
end
$function$;

comment on function aimemory.archive_memory is
    'Moves one memory from memories to archive, id kept; false if it is not live.';
