-- Add to the day's use of language models, and tell how much it is now.
create function aimemory.count_usage(
    for_user     text,
    more_calls   integer     default 0,
    more_tokens  bigint      default 0,
    as_of        timestamptz default now()
)
returns table (calls integer, tokens bigint)
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    today date := (as_of at time zone 'UTC')::date;
begin
    perform aimemory.lock_user(for_user, as_of);
    return query
    update aimemory.users u
       set usage_day = today,
           usage_calls = more_calls + case when u.usage_day = today then u.usage_calls else 0 end,
           usage_tokens = more_tokens + case when u.usage_day = today then u.usage_tokens else 0 end
     where u.user_id = for_user
    returning u.usage_calls, u.usage_tokens;
end
$function$;

comment on function aimemory.count_usage is
    'Counts calls and tokens of language models for a user and day (UTC); returns the day''s sums.';
