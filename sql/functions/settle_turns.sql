-- Note that turns have been learnt from, or that it failed and why.
--
-- A failed turn stays in the queue; after max_attempts (see pending_turns) it is
-- parked: still there, and read again only by a call that allows more attempts.
create function aimemory.settle_turns(
    for_user    text,
    in_session  text,
    numbers     integer[],
    failure     text        default null,
    as_of       timestamptz default now()
)
returns integer
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    settled integer;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    update aimemory.turns t
       set extracted_at = case when failure is null then as_of end,
           attempts = t.attempts + case when failure is null then 0 else 1 end,
           last_error = failure
     where t.user_id = for_user and t.session_id = in_session
       and t.turn_no = any (numbers) and t.extracted_at is null;
    get diagnostics settled = row_count;
    return settled;
end
$function$;

comment on function aimemory.settle_turns is
    'Marks pending turns as learnt from, or counts a failed attempt; returns how many there were.';
