-- End one batch of conversations that have gone quiet and hold nothing to learn from.
--
-- It waits for nobody: a user who is being written to is left for the next run. Call it
-- until it returns 0.
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
    busy        text[] := '{}';
    batch       record;
    closed      bigint := 0;
    of_user     bigint;
begin
    perform aimemory.require_maintainer();
    loop
        for batch in
            select n.user_id, array_agg(n.session_id) as quiet
              from (select s.user_id, s.session_id
                      from aimemory.sessions s
                     where s.closed_at is null and s.last_turn_at <= quiet_since
                       and s.user_id <> all (busy)
                       and not exists (select from aimemory.turns t
                                        where t.user_id = s.user_id
                                          and t.session_id = s.session_id
                                          and t.extracted_at is null)
                     order by s.last_turn_at
                     limit max_rows - closed) n
             group by n.user_id
        loop
            of_user := cardinality(batch.quiet);
            if not is_rehearsal and aimemory.try_lock_user(batch.user_id) then
                -- Once more, for a turn that came before the lock.
                update aimemory.sessions s
                   set closed_at = as_of
                 where s.user_id = batch.user_id and s.session_id = any (batch.quiet)
                   and s.closed_at is null and s.last_turn_at <= quiet_since;
                get diagnostics of_user = row_count;
            elsif not is_rehearsal then
                of_user := 0;
            end if;
            closed := closed + of_user;
            busy := busy || batch.user_id;
        end loop;
        exit when not found or closed >= max_rows or is_rehearsal;
    end loop;
    return closed;
end
$function$;

comment on function aimemory.close_idle_sessions is
    'Ends one batch of sessions that are quiet and have nothing pending; returns how many.';
