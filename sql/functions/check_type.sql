-- Stop unless a memory type exists.
--
-- The foreign key would stop it as well, but what it says under row-level security does
-- not name the type.
create function aimemory.check_type(named text)
returns void
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    if named is not null and not exists (
           select from aimemory.memory_types t where t.memory_type = named) then
        raise exception 'there is no memory type %; aimemory.memory_types lists them', named
            using errcode = 'MM001';
    end if;
end
$function$;

comment on function aimemory.check_type is
    'Raises MM001 unless the memory type exists; called by every function that is given one.';
