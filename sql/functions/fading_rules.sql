-- The rules of a memory type in one text, to tell whether they have changed.
create function aimemory.fading_rules(
    daily_factor     double precision,
    lowest           double precision,
    lowest_from      double precision,
    seconds_to_live  double precision,
    limit_below      double precision
)
returns text
language sql immutable parallel safe
return format('%s %s %s %s %s', daily_factor, lowest, lowest_from, seconds_to_live, limit_below);

comment on function aimemory.fading_rules is
    'The rules of a memory type as one text; memory_types.applied_rules holds one.';
