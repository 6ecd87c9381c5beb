-- When upkeep moves a memory to the archive: the first of the ends it can come to.
--
-- Replaced: at once. Otherwise the end of its validity, the time to live of its type
-- since it was last confirmed (or since its event), or the fading of its importance
-- since it was last used. A pinned memory stays, unless it was replaced. A pure
-- function of stored facts: it gives the same whenever it is asked. not_before is the
-- moment of the change that made the memory due, which cannot have been due earlier.
create function aimemory.due_at(
    its_importance  double precision,
    its_pin         boolean,
    its_end         timestamptz,
    replaced_at     timestamptz,
    kept_since      timestamptz,
    last_used       timestamptz,
    daily_factor    double precision,
    lowest          double precision,
    limit_below     double precision,
    seconds_to_live double precision,
    not_before      timestamptz default null
)
returns timestamptz
language sql immutable parallel safe
return case
    when replaced_at is not null then greatest(replaced_at, not_before)
    when its_pin then null
    else nullif(
        greatest(
            least(aimemory.later(its_end, 0), aimemory.later(kept_since, seconds_to_live),
                  aimemory.fades_at(its_importance, daily_factor, lowest, limit_below, last_used),
                  'infinity'),
            not_before),
        'infinity')
end;

comment on function aimemory.due_at is
    'When a memory is due for the archive: replaced, out of its time, or faded; null: never.';
