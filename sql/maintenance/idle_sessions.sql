-- Conversations with turns to learn from that have gone quiet, longest ago first.
--
-- It starts from the index of pending turns, so it reads what waits and not every
-- session there ever was. After each failure the wait is four times as long: a service
-- that is down for an afternoon must not use up every attempt within five minutes.
create function aimemory.idle_sessions(
    idle_seconds  double precision default 600,
    max_rows      integer          default 100,
    max_attempts  integer          default 5,
    as_of         timestamptz      default now()
)
returns table (user_id text, session_id text, last_turn_at timestamptz)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.require_maintainer();
    return query
    select s.user_id, s.session_id, s.last_turn_at
      from (select t.user_id, t.session_id, min(t.attempts) as failures
              from aimemory.turns t
             where t.extracted_at is null and t.attempts < max_attempts
             group by t.user_id, t.session_id) w
      join aimemory.sessions s on s.user_id = w.user_id and s.session_id = w.session_id
     where s.last_turn_at <= as_of - make_interval(secs => idle_seconds * 4 ^ w.failures)
     order by s.last_turn_at, s.user_id, s.session_id
     limit max_rows;
end
$function$;

comment on function aimemory.idle_sessions is
    'Sessions with pending turns and no new turn for a while: what the extraction job works on.';
