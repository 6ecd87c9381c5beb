-- Make the writes of one user happen one after the other, until the transaction ends.
--
-- Not "for update": the recall log, which holds on to the row, need not wait for a
-- writer; only who deletes the row waits for it.
--
-- A row lock, because it works on every node of a cluster (advisory locks are
-- local to one). The loop is for a user who is erased while we wait. What can only
-- change memories that are there does not create a user: an erased one would be
-- back, with a row and nothing else, after a late call.
create function aimemory.lock_user(
    for_user        text,
    as_of           timestamptz default now(),
    create_missing  boolean     default true
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    loop
        if create_missing then
            insert into aimemory.users (user_id, created_at)
            values (for_user, as_of)
            on conflict do nothing;
        end if;
        perform from aimemory.users u where u.user_id = for_user for no key update;
        exit when found or not create_missing;
    end loop;
end
$function$;

comment on function aimemory.lock_user is
    'Locks the row of a user, creating it if need be, so that writes of one user are serialised.';
