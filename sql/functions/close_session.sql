-- End a conversation. Its pending turns stay in the queue.
create function aimemory.close_session(
    for_user    text,
    in_session  text,
    as_of       timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    update aimemory.sessions s
       set closed_at = as_of
     where s.user_id = for_user and s.session_id = in_session and s.closed_at is null;
    return found;
end
$function$;

comment on function aimemory.close_session is
    'Ends a session; a new turn opens it again. False if it was not open.';
