-- Make the writes of one user happen one after the other, until the transaction ends.
--
-- A row lock, because it works on every node of a cluster (advisory locks are
-- local to one). The loop is for a user who is erased while we wait.
create function aimemory.lock_user(for_user text, as_of timestamptz default now())
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    loop
        insert into aimemory.users (user_id, created_at)
        values (for_user, as_of)
        on conflict do nothing;
        perform from aimemory.users u where u.user_id = for_user for update;
        exit when found;
    end loop;
end
$function$;

comment on function aimemory.lock_user is
    'Creates the user if needed and locks the row, so that writes of one user are serialised.';
