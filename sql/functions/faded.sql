-- factor ^ days, for a span of time; 1 for a span that has not begun yet.
--
-- Written with exp() and a bound: power() raises an error where the result
-- would be too small for a double, which twenty years without use reach.
create function aimemory.faded(daily_factor double precision, span interval)
returns double precision
language sql immutable parallel safe
return exp(greatest(
    ln(daily_factor) * greatest(extract(epoch from span)::double precision, 0) / 86400, -200));

comment on function aimemory.faded is 'daily_factor to the power of the days of a span; 1 for a negative span.';
