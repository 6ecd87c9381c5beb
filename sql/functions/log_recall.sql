-- Keep what was asked, what was found, and what went into the prompt.
--
-- Of a user who is not there, nothing is kept: a search that comes to its end while
-- somebody erases the user must not leave the question behind.
create function aimemory.log_recall(
    for_user      text,
    asked         text,
    what_came     jsonb,
    given         uuid[]           default '{}',
    from_session  text             default null,
    rendered      text             default null,
    tokens_used   integer          default null,
    took_ms       double precision default null,
    is_degraded   boolean          default false,
    as_of         timestamptz      default now()
)
returns uuid
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    new_id uuid := gen_random_uuid();
begin
    perform from aimemory.users u where u.user_id = for_user for key share;
    if not found then
        return null;
    end if;
    insert into aimemory.recall_log
        (user_id, recall_id, recalled_at, session_id, query, candidates, injected_ids, block,
         token_count, latency_ms, degraded)
    values
        (for_user, new_id, as_of, from_session, asked, what_came, given, rendered,
         tokens_used, took_ms, is_degraded);
    return new_id;
end
$function$;

comment on function aimemory.log_recall is
    'Adds one row to recall_log and returns its id; null, and no row, for a user who is not there.';
