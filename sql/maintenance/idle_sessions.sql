-- Conversations with turns to learn from that have gone quiet, longest ago first.
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
      from aimemory.sessions s
     where s.last_turn_at <= as_of - make_interval(secs => idle_seconds)
       and exists (select from aimemory.turns t
                    where t.user_id = s.user_id and t.session_id = s.session_id
                      and t.extracted_at is null and t.attempts < max_attempts)
     order by s.last_turn_at, s.user_id, s.session_id
     limit max_rows;
end
$function$;

comment on function aimemory.idle_sessions is
    'Sessions with pending turns and no new turn for a while: what the extraction job works on.';
