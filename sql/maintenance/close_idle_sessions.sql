-- End one batch of conversations that have gone quiet and hold nothing to learn from.
--
-- Call it until it returns 0.
create function aimemory.close_idle_sessions(
    idle_seconds  double precision default 3600,
    max_rows      integer          default 1000,
    is_rehearsal  boolean          default false,
    as_of         timestamptz      default now()
)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    quiet_since timestamptz := as_of - make_interval(secs => idle_seconds);
    closed      bigint;
begin
    perform aimemory.require_maintainer();
    if is_rehearsal then
        return (select count(*)
                  from (select from aimemory.sessions s
                         where s.closed_at is null and s.last_turn_at <= quiet_since
                           and not exists (select from aimemory.turns t
                                            where t.user_id = s.user_id
                                              and t.session_id = s.session_id
                                              and t.extracted_at is null)
                         limit max_rows) c);
    end if;
    with quiet as (
        select s.user_id, s.session_id
          from aimemory.sessions s
         where s.closed_at is null
           and s.last_turn_at <= quiet_since
           and not exists (select from aimemory.turns t
                            where t.user_id = s.user_id and t.session_id = s.session_id
                              and t.extracted_at is null)
         order by s.last_turn_at
         limit max_rows
    )
    update aimemory.sessions s
       set closed_at = as_of
      from quiet q
     where s.user_id = q.user_id and s.session_id = q.session_id and s.closed_at is null
       -- Once more, for a turn that came while this waited for the row.
       and s.last_turn_at <= quiet_since;
    get diagnostics closed = row_count;
    return closed;
end
$function$;

comment on function aimemory.close_idle_sessions is
    'Ends one batch of sessions that are quiet and have nothing pending; returns how many.';
