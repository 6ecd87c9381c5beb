-- Erase memories of one user from every table, whatever state they are in.
--
-- With them go what they said before, the turns they came from and every turn that
-- quotes them, so that the short-term layer does not bring them back, and the candidates
-- that made them or say the same. What they had replaced stays replaced, without saying
-- by what.
create function aimemory.erase_memories(for_user text, targets uuid[])
returns jsonb
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    texts     text[];
    said      text[];
    kept      text[];
    quoted    text[];
    changed   bigint;
    counts    jsonb;
begin
    perform aimemory.lock_user(for_user, create_missing => false);
    targets := array(select m.memory_id from aimemory.all_memories m
                      where m.user_id = for_user and m.memory_id = any (targets));
    if targets = '{}' then
        return '{}';
    end if;
    texts := array(
        select m.content from aimemory.all_memories m
         where m.user_id = for_user and m.memory_id = any (targets)
        union
        select r.content from aimemory.memory_revisions r
         where r.user_id = for_user and r.memory_id = any (targets) and r.content <> '');
    said := array(select m.evidence from aimemory.all_memories m
                   where m.user_id = for_user and m.memory_id = any (targets));
    kept := aimemory.kept_texts(for_user);
    quoted := aimemory.quoting(kept, texts || said);
    perform aimemory.erase_mentions(for_user, targets, quoted);
    changed := aimemory.erase_recalls(for_user, targets, quoted);
    with origins as (
        select m.memory_id, m.session_id, m.turn_no, m.keywords, m.archived_at is not null as cold
          from aimemory.all_memories m
         where m.user_id = for_user and m.memory_id = any (targets)
    ), postings as (
        select o.memory_id, o.cold, l.term
          from origins o
         cross join lateral unnest(o.keywords) as n(lexeme, positions, weights)
         cross join lateral (values (n.lexeme), ('#' || n.lexeme)) as l(term)
    ), gone_terms as (
        delete from aimemory.memory_terms t using postings p
         where t.user_id = for_user and t.cold = p.cold and t.term = p.term
           and t.memory_id = p.memory_id
        returning t.memory_id
    ), gone_turns as (
        delete from aimemory.turns t
         where t.user_id = for_user
           and (t.content = any (quoted)
                or (t.session_id, t.turn_no) in (select o.session_id, o.turn_no from origins o))
        returning t.turn_no
    ), gone_vectors as (
        delete from aimemory.memory_vectors v
         where v.user_id = for_user and v.memory_id = any (targets)
        returning v.chunk
    ), gone_accesses as (
        delete from aimemory.memory_access a
         where a.user_id = for_user and a.memory_id = any (targets)
    ), gone_revisions as (
        delete from aimemory.memory_revisions r
         where r.user_id = for_user and r.memory_id = any (targets)
        returning r.revision
    ), gone_candidates as (
        delete from aimemory.candidates c
         where c.user_id = for_user
           and (c.memory_id = any (targets)
                or c.content_hash in (select aimemory.content_hash(s.written)
                                        from unnest(texts) as s(written)))
        returning c.candidate_id
    ), gone_memories as (
        delete from aimemory.memories m
         where m.user_id = for_user and m.memory_id = any (targets)
        returning m.memory_id
    ), gone_archived as (
        delete from aimemory.archive a
         where a.user_id = for_user and a.memory_id = any (targets)
        returning a.memory_id
    )
    select jsonb_build_object(
               'memories', (select count(*) from gone_memories),
               'archived', (select count(*) from gone_archived),
               'revisions', (select count(*) from gone_revisions),
               'vectors', (select count(*) from gone_vectors),
               'terms', (select count(*) from gone_terms),
               'candidates', (select count(*) from gone_candidates),
               'turns', (select count(*) from gone_turns),
               'recalls', changed)
      into counts;
    return counts;
end
$function$;

comment on function aimemory.erase_memories is
    'Erases memories of one user, and every trace of them, from all tables; returns counts of rows.';
