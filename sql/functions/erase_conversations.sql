-- Erase what was said: turns, questions in the log, and what waits for a decision.
--
-- These can be chosen by session, words and time, as memories can. The session itself
-- goes only when nothing but its name was given; else its turns keep their numbers.
create function aimemory.erase_conversations(
    for_user      text,
    from_session  text         default null,
    containing    text         default null,
    said_before   timestamptz  default null
)
returns jsonb
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    phrase  text := aimemory.normalized(containing);
    counts  jsonb;
begin
    perform aimemory.lock_user(for_user, create_missing => false);
    with gone_turns as (
        delete from aimemory.turns t
         where t.user_id = for_user
           and (from_session is null or t.session_id = from_session)
           and (said_before is null or t.said_at < said_before)
           and (phrase is null or strpos(aimemory.normalized(t.content), phrase) > 0)
        returning t.turn_no
    ), gone_recalls as (
        delete from aimemory.recall_log l
         where l.user_id = for_user
           and (from_session is null or l.session_id = from_session)
           and (said_before is null or l.recalled_at < said_before)
           and (phrase is null
                or strpos(aimemory.normalized(l.query), phrase) > 0
                or strpos(aimemory.normalized(l.block), phrase) > 0)
        returning l.recall_id
    ), gone_candidates as (
        delete from aimemory.candidates c
         where c.user_id = for_user
           and (from_session is null or c.proposal ->> 'session_id' = from_session)
           and (said_before is null or c.created_at < said_before)
           and (phrase is null
                or strpos(aimemory.normalized(c.content), phrase) > 0
                or strpos(aimemory.normalized(c.proposal ->> 'evidence'), phrase) > 0)
        returning c.candidate_id
    ), gone_aliases as (
        delete from aimemory.entity_aliases a
         where a.user_id = for_user and from_session is null and said_before is null
           and (strpos(a.alias, phrase) > 0 or strpos(a.entity_name, phrase) > 0)
        returning a.alias
    )
    select jsonb_build_object(
               'aliases', (select count(*) from gone_aliases),
               'turns', (select count(*) from gone_turns),
               'recalls', (select count(*) from gone_recalls),
               'candidates', (select count(*) from gone_candidates))
      into counts;
    if containing is null and said_before is null then
        with gone_sessions as (
            delete from aimemory.sessions s
             where s.user_id = for_user and s.session_id = from_session
            returning s.session_id
        )
        select counts || jsonb_build_object('sessions', (select count(*) from gone_sessions))
          into counts;
    end if;
    return counts;
end
$function$;

comment on function aimemory.erase_conversations is
    'Erases turns, log entries and candidates by session, words and time; returns counts of rows.';
