-- Complete a memory with a new detail. The text before stays as a revision.
create function aimemory.merge_memory(
    for_user      text,
    target        uuid,
    merged_text   text,
    about         text[]           default '{}',
    to_importance double precision default null,
    vectors       halfvec[]        default null,
    vector_model  text             default null,
    why           text             default null,
    changed_by    text             default null,
    as_of         timestamptz      default now()
)
returns uuid
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    before record;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    if exists (select from aimemory.archive a
                where a.user_id = for_user and a.memory_id = target and a.status = 'active') then
        perform aimemory.restore_memory(for_user, target, 'a new detail', changed_by, as_of);
    end if;
    select m.importance, m.entities into before
      from aimemory.memories m
     where m.user_id = for_user and m.memory_id = target and m.status = 'active';
    if not found then
        raise exception 'there is no active memory % to complete', target using errcode = 'MM002';
    end if;
    perform aimemory.update_memory(
        for_user, target, new_content => merged_text,
        to_importance => greatest(before.importance, to_importance),
        about => before.entities || about, vectors => vectors, vector_model => vector_model,
        what => 'merged', why => why, changed_by => changed_by, as_of => as_of);
    update aimemory.memories m
       set last_confirmed_at = greatest(m.last_confirmed_at, as_of)
     where m.user_id = for_user and m.memory_id = target;
    perform aimemory.set_due(for_user, array[target], as_of => as_of);
    return target;
end
$function$;

comment on function aimemory.merge_memory is
    'Replaces the text of a memory by one that knows more; an archived memory is restored first.';
