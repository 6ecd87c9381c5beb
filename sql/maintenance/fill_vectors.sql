-- Give a memory the vectors it lacks, if its text is still the one they were made of.
--
-- Embedding takes time, and meanwhile the memory may have been changed, moved to
-- the archive or erased. A vector of an old text would be worse than none.
create function aimemory.fill_vectors(
    for_user       text,
    target         uuid,
    embedded_text  text,
    vectors        halfvec[],
    vector_model   text
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    is_cold boolean;
begin
    perform aimemory.require_maintainer();
    perform aimemory.lock_user(for_user, create_missing => false);
    select o.cold into is_cold
      from (select m.content, false as cold from aimemory.memories m
             where m.user_id = for_user and m.memory_id = target
            union all
            select a.content, true from aimemory.archive a
             where a.user_id = for_user and a.memory_id = target) o
     where o.content = embedded_text;
    if not found then
        return false;
    end if;
    perform aimemory.store_vectors(for_user, target, is_cold, vectors, vector_model);
    return true;
end
$function$;

comment on function aimemory.fill_vectors is
    'Stores vectors of a memory unless its text has changed since; used by reembed.';
