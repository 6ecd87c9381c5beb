-- Switch learning from a user's turns on or off, and set the user's time zone.
create function aimemory.set_user(
    for_user     text,
    is_learning  boolean     default null,
    in_zone      text        default null,
    as_of        timestamptz default now()
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    if in_zone is not null
       and not exists (select from pg_catalog.pg_timezone_names z where z.name = in_zone) then
        raise exception 'there is no time zone %; use an IANA name such as Asia/Shanghai', in_zone
            using errcode = 'MM001';
    end if;
    perform aimemory.lock_user(for_user, as_of);
    update aimemory.users u
       set learning = coalesce(is_learning, u.learning),
           time_zone = coalesce(in_zone, u.time_zone)
     where u.user_id = for_user;
end
$function$;

comment on function aimemory.set_user is
    'Sets whether anything is learnt from a user''s turns, and the user''s time zone.';
