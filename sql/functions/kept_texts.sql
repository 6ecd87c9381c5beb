-- Every text that is kept of a user beside the memories themselves.
--
-- What has been said, asked and put into a prompt; what memories go back to and have
-- said before; and the words of candidates and vetoes.
create function aimemory.kept_texts(for_user text)
returns text[]
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return array(
        select t.content from aimemory.turns t where t.user_id = for_user
        union all
        select l.query from aimemory.recall_log l where l.user_id = for_user
        union all
        select l.block from aimemory.recall_log l where l.user_id = for_user
        union all
        select m.evidence from aimemory.memories m where m.user_id = for_user
        union all
        select a.evidence from aimemory.archive a where a.user_id = for_user
        union all
        select r.content from aimemory.memory_revisions r where r.user_id = for_user
        union all
        select r.reason from aimemory.memory_revisions r where r.user_id = for_user
        union all
        select c.proposal ->> 'evidence' from aimemory.candidates c where c.user_id = for_user
        union all
        select v.reason from aimemory.vetoes v where v.user_id = for_user);
end
$function$;

comment on function aimemory.kept_texts is
    'Every text that is kept of a user beside the memories: turns, questions, prompts, history.';
