-- What is left of an importance after some time without use.
--
-- A pure function of stored facts: nothing is ever multiplied in place, so the
-- result does not depend on how often, or when, anybody asks. An importance too
-- small to be multiplied (a double would underflow, an error) counts as none.
create function aimemory.effective_importance(
    base_importance  double precision,
    daily_factor     double precision,
    lowest           double precision,
    last_used        timestamptz,
    as_of            timestamptz
)
returns double precision
language sql immutable parallel safe
return greatest(
    case when base_importance > 1e-30
         then base_importance * aimemory.faded(daily_factor, as_of - last_used)
         else 0 end,
    lowest);

comment on function aimemory.effective_importance is
    'base * factor ^ days since last use, never below lowest (null: no floor).';
