-- A moment some seconds later.
--
-- Adding an interval depends on the time zone of the session (a day may have 23
-- hours), so PostgreSQL takes it for unstable, and a cluster refuses it in writes.
create function aimemory.later(moment timestamptz, seconds double precision)
returns timestamptz
language sql immutable parallel safe
return case
    when not isfinite(moment) then moment
    else to_timestamp(
        extract(epoch from moment - timestamptz '1970-01-01 00:00:00+00')::double precision
        + case when seconds > 3.2e11 then 3.2e11 else seconds end)
end;

comment on function aimemory.later is
    'A moment some seconds later, exact to a microsecond; at most ten thousand years. Null without either.';
