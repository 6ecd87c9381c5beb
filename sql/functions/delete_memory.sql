-- Erase one memory from every table, whatever state it is in.
--
-- What it had replaced stays replaced, without saying by what; the log forgets
-- that it was found, and a logged prompt that held its text loses the text. The
-- approval that made it goes too, since that holds the text; the turns stay.
create function aimemory.delete_memory(for_user text, target uuid)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    words tsvector;
begin
    perform aimemory.lock_user(for_user, create_missing => false);
    select o.keywords into words
      from (select m.keywords from aimemory.memories m
             where m.user_id = for_user and m.memory_id = target
            union all
            select a.keywords from aimemory.archive a
             where a.user_id = for_user and a.memory_id = target) o;
    if not found then
        return false;
    end if;
    perform aimemory.store_terms(for_user, target, false, words, '');
    delete from aimemory.memory_vectors v where v.user_id = for_user and v.memory_id = target;
    delete from aimemory.memory_access a where a.user_id = for_user and a.memory_id = target;
    delete from aimemory.memory_revisions r where r.user_id = for_user and r.memory_id = target;
    delete from aimemory.candidates c where c.user_id = for_user and c.memory_id = target;
    update aimemory.memories m set superseded_by = null
     where m.user_id = for_user and m.superseded_by = target;
    update aimemory.archive a set superseded_by = null
     where a.user_id = for_user and a.superseded_by = target;
    update aimemory.memory_revisions r set details = r.details - 'superseded_by'
     where r.user_id = for_user and r.details ->> 'superseded_by' = target::text;
    update aimemory.recall_log l
       set block = case when l.injected_ids @> array[target] then null else l.block end,
           injected_ids = array_remove(l.injected_ids, target),
           candidates = jsonb_path_query_array(
               l.candidates, '$[*] ? (!(@.memory_id == $erased))',
               jsonb_build_object('erased', target))
     where l.user_id = for_user
       and (l.injected_ids @> array[target]
            or l.candidates @> jsonb_build_array(jsonb_build_object('memory_id', target)));
    delete from aimemory.memories m where m.user_id = for_user and m.memory_id = target;
    delete from aimemory.archive a where a.user_id = for_user and a.memory_id = target;
    return true;
end
$function$;

comment on function aimemory.delete_memory is
    'Erases one memory with its vectors, postings, revisions and approval; false if there is none.';
