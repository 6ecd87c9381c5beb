-- A moment some seconds later.
--
-- Adding an interval depends on the time zone of the session (a day may have 23
-- hours), so PostgreSQL takes it for unstable, and a cluster refuses it in writes.
-- From the year 9999 on it is infinity: most programs know no later time.
create function aimemory.later(moment timestamptz, seconds double precision)
returns timestamptz
language sql immutable parallel safe
return case
    when moment >= timestamptz '9999-01-01 00:00:00+00' then 'infinity'
    when moment <= timestamptz '0001-01-01 00:00:00+00' then moment
    when seconds >= extract(epoch from timestamptz '9999-01-01 00:00:00+00' - moment) then 'infinity'
    else to_timestamp(
        extract(epoch from moment - timestamptz '1970-01-01 00:00:00+00')::double precision
        + seconds)
end;

comment on function aimemory.later is
    'A moment some seconds later, exact to a microsecond; infinity from the year 9999 on. Null without either.';
