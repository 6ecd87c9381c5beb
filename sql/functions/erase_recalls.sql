-- Take erased memories out of the log, with the question and the prompt that tell of them.
--
-- A question can be the very sentence a memory was made of, without having found it, so
-- texts are looked at as well as ids. What else was found, and the scores, stay.
create function aimemory.erase_recalls(for_user text, targets uuid[], quoted text[])
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    changed bigint;
begin
    with touched as (
        select l.recall_id,
               array(select i.id from unnest(l.injected_ids) with ordinality as i(id, nth)
                      where i.id <> all (targets) order by i.nth) as injected,
               (select coalesce(jsonb_agg(f.item order by f.nth), '[]')
                  from jsonb_array_elements(l.candidates) with ordinality as f(item, nth)
                 where coalesce(f.item ->> 'memory_id' <> all (targets::text[]), true)) as found_then
          from aimemory.recall_log l
         where l.user_id = for_user
           and (l.query = any (quoted) or l.block = any (quoted)
                or exists (select from unnest(l.injected_ids) as i(id)
                            where i.id = any (targets))
                or exists (select from jsonb_array_elements(l.candidates) as f(item)
                            where f.item ->> 'memory_id' = any (targets::text[])))
    )
    update aimemory.recall_log l
       set query = '', block = null, injected_ids = t.injected, candidates = t.found_then
      from touched t
     where l.user_id = for_user and l.recall_id = t.recall_id;
    get diagnostics changed = row_count;
    return changed;
end
$function$;

comment on function aimemory.erase_recalls is
    'Removes memories, and questions and prompts that tell of them, from the log; returns how many entries.';
