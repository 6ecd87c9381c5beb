-- End an import: links to memories that did not come, being known under another id, go.
create function aimemory.settle_import(for_user text)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    live  bigint;
    cold  bigint;
begin
    perform aimemory.lock_user(for_user, create_missing => false);
    update aimemory.memories m set superseded_by = null
     where m.user_id = for_user and m.superseded_by is not null
       and not exists (select from aimemory.all_memories s
                        where s.user_id = for_user and s.memory_id = m.superseded_by);
    get diagnostics live = row_count;
    update aimemory.archive a set superseded_by = null
     where a.user_id = for_user and a.superseded_by is not null
       and not exists (select from aimemory.all_memories s
                        where s.user_id = for_user and s.memory_id = a.superseded_by);
    get diagnostics cold = row_count;
    return live + cold;
end
$function$;

comment on function aimemory.settle_import is
    'Takes out links to memories that an import has left out; returns how many.';
