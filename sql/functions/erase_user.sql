-- Erase everything of one user, the row of the user last.
create function aimemory.erase_user(for_user text)
returns jsonb
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    counts jsonb;
begin
    perform from aimemory.users u where u.user_id = for_user for update;
    with gone_memories as (
        delete from aimemory.memories m where m.user_id = for_user returning m.memory_id
    ), gone_archived as (
        delete from aimemory.archive a where a.user_id = for_user returning a.memory_id
    ), gone_accesses as (
        delete from aimemory.memory_access a where a.user_id = for_user
    ), gone_revisions as (
        delete from aimemory.memory_revisions r where r.user_id = for_user returning r.revision
    ), gone_vectors as (
        delete from aimemory.memory_vectors v where v.user_id = for_user returning v.chunk
    ), gone_terms as (
        delete from aimemory.memory_terms t where t.user_id = for_user returning t.memory_id
    ), gone_candidates as (
        delete from aimemory.candidates c where c.user_id = for_user returning c.candidate_id
    ), gone_aliases as (
        delete from aimemory.entity_aliases a where a.user_id = for_user returning a.alias
    ), gone_turns as (
        delete from aimemory.turns t where t.user_id = for_user returning t.turn_no
    ), gone_recalls as (
        delete from aimemory.recall_log l where l.user_id = for_user returning l.recall_id
    ), gone_vetoes as (
        delete from aimemory.vetoes v where v.user_id = for_user returning v.veto_id
    )
    select jsonb_build_object(
               'memories', (select count(*) from gone_memories),
               'archived', (select count(*) from gone_archived),
               'revisions', (select count(*) from gone_revisions),
               'vectors', (select count(*) from gone_vectors),
               'terms', (select count(*) from gone_terms),
               'candidates', (select count(*) from gone_candidates),
               'aliases', (select count(*) from gone_aliases),
               'turns', (select count(*) from gone_turns),
               'recalls', (select count(*) from gone_recalls),
               'vetoes', (select count(*) from gone_vetoes))
      into counts;
    with gone_sessions as (
        delete from aimemory.sessions s where s.user_id = for_user returning s.session_id
    )
    select counts || jsonb_build_object('sessions', (select count(*) from gone_sessions)) into counts;
    with gone_users as (
        delete from aimemory.users u where u.user_id = for_user returning u.user_id
    )
    select counts || jsonb_build_object('users', (select count(*) from gone_users)) into counts;
    return counts;
end
$function$;

comment on function aimemory.erase_user is
    'Erases every row of one user from all tables; returns counts of rows.';
