-- Lock a user as lock_user does, unless somebody else has: upkeep comes again later.
create function aimemory.try_lock_user(for_user text)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform from aimemory.users u where u.user_id = for_user for no key update skip locked;
    return found;
end
$function$;

comment on function aimemory.try_lock_user is
    'Locks the row of a user without waiting; false if somebody has it or there is no such user.';
