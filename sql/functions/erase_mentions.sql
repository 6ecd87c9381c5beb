-- Take out of the other memories what would still tell of erased ones.
--
-- Another memory keeps its own sentence, whatever that shares with an erased one. It
-- loses links to it, and the quotation of the user and its own earlier texts where
-- those quote the erased one. Of a candidate and of a veto only the words go; both are
-- still needed.
create function aimemory.erase_mentions(for_user text, targets uuid[], quoted text[])
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    gone jsonb := jsonb_build_object('erased', targets);
begin
    update aimemory.memories m set superseded_by = null
     where m.user_id = for_user and m.superseded_by = any (targets);
    update aimemory.archive a set superseded_by = null
     where a.user_id = for_user and a.superseded_by = any (targets);
    update aimemory.memories m
       set evidence = case when m.evidence = any (quoted) then null else m.evidence end,
           metadata = case when m.metadata ? 'supersedes' then jsonb_set(
               m.metadata, '{supersedes}', jsonb_path_query_array(
                   m.metadata, '$.supersedes[*] ? (!(@ == $erased[*]))', gone))
               else m.metadata end
     where m.user_id = for_user and m.memory_id <> all (targets)
       and (m.evidence = any (quoted)
            or jsonb_path_exists(m.metadata, '$.supersedes[*] ? (@ == $erased[*])', gone));
    update aimemory.archive a
       set evidence = case when a.evidence = any (quoted) then null else a.evidence end,
           metadata = case when a.metadata ? 'supersedes' then jsonb_set(
               a.metadata, '{supersedes}', jsonb_path_query_array(
                   a.metadata, '$.supersedes[*] ? (!(@ == $erased[*]))', gone))
               else a.metadata end
     where a.user_id = for_user and a.memory_id <> all (targets)
       and (a.evidence = any (quoted)
            or jsonb_path_exists(a.metadata, '$.supersedes[*] ? (@ == $erased[*])', gone));
    update aimemory.memory_revisions r
       set reason = null, details = r.details - 'superseded_by'
     where r.user_id = for_user and r.details ->> 'superseded_by' = any (targets::text[]);
    update aimemory.memory_revisions r
       set details = jsonb_set(r.details, '{metadata,supersedes}', jsonb_path_query_array(
               r.details, '$.metadata.supersedes[*] ? (!(@ == $erased[*]))', gone))
     where r.user_id = for_user and jsonb_path_exists(
               r.details, '$.metadata.supersedes[*] ? (@ == $erased[*])', gone);
    update aimemory.memory_revisions r
       set content = case when r.content = any (quoted) then '' else r.content end,
           reason = case when r.reason = any (quoted) then null else r.reason end
     where r.user_id = for_user and r.memory_id <> all (targets)
       and (r.reason = any (quoted)
            or r.content = any (quoted) and not exists (
               select from aimemory.all_memories m
                where m.user_id = for_user and m.memory_id = r.memory_id
                  and m.content = r.content));
    update aimemory.candidates c
       set proposal = jsonb_set(c.proposal, '{evidence}', '""')
     where c.user_id = for_user and c.proposal ->> 'evidence' = any (quoted);
    update aimemory.vetoes v set reason = null
     where v.user_id = for_user and v.reason = any (quoted);
end
$function$;

comment on function aimemory.erase_mentions is
    'Removes links to erased memories, and their words, from what is kept of the others.';
