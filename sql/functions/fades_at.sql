-- When an importance falls below a limit, if the memory is not used again.
--
-- The inverse of effective_importance: base * factor ^ days = limit, solved for the
-- days. Null: never, since it does not fade, or stops above the limit. A span of more
-- than ten thousand years counts as never too.
create function aimemory.fades_at(
    base_importance  double precision,
    daily_factor     double precision,
    lowest           double precision,
    limit_below      double precision,
    last_used        timestamptz
)
returns timestamptz
language sql immutable parallel safe
return case
    when lowest >= limit_below then null
    when base_importance < limit_below then aimemory.later(last_used, 0)
    when daily_factor = 1 or limit_below = 0 then null
    when ln(limit_below / base_importance) / ln(daily_factor) > 3650000 then null
    else aimemory.later(
        last_used, 86400 * ln(limit_below / base_importance) / ln(daily_factor))
end;

comment on function aimemory.fades_at is
    'When effective_importance falls below a limit without further use; null: never.';
