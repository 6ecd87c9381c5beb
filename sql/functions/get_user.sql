-- A user's switches and today's use of language models.
create function aimemory.get_user(for_user text, as_of timestamptz default now())
returns table (learning boolean, time_zone text, usage_calls integer, usage_tokens bigint)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    select u.learning, u.time_zone,
           case when u.usage_day = (as_of at time zone 'UTC')::date then u.usage_calls else 0 end,
           case when u.usage_day = (as_of at time zone 'UTC')::date then u.usage_tokens else 0 end
      from aimemory.users u
     where u.user_id = for_user;
end
$function$;

comment on function aimemory.get_user is
    'Learning switch, time zone and today''s use of language models; no row for an unknown user.';
