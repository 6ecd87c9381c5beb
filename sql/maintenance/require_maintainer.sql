-- Stop unless the role sees the rows of all users.
--
-- To any other role row-level security would show no rows, and a job would report
-- that there is nothing to do.
create function aimemory.require_maintainer()
returns void
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    if not pg_has_role(current_user, 'aimemory_maintainer', 'usage')
       and not (select r.rolsuper or r.rolbypassrls
                  from pg_catalog.pg_roles r where r.rolname = current_user) then
        raise exception 'this works on the rows of all users, which % may not: connect as a member of aimemory_maintainer',
            current_user using errcode = 'MM005';
    end if;
end
$function$;

comment on function aimemory.require_maintainer is
    'Raises MM005 unless the role is a member of aimemory_maintainer; called by every function of upkeep.';
