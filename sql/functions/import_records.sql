-- Store records of an export; say how many of each kind were inserted, known and so on.
--
-- The first that cannot be stored ends it with an error that names its line.
create function aimemory.import_records(
    for_user  text,
    kinds     text[],
    records   jsonb[],
    lines     integer[],
    as_of     timestamptz default now()
)
returns table (kind text, outcome text, number bigint)
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    each      record;
    outcomes  text[] := '{}';
begin
    begin
        for each in
            select g.what, g.given, g.line
              from unnest(kinds, records, lines) with ordinality as g(what, given, line, nth)
             order by g.nth
        loop
            outcomes := outcomes || case
                when each.what = 'memory' then aimemory.import_memory(for_user, each.given, as_of)
                else aimemory.import_record(for_user, each.what, each.given) end;
        end loop;
    exception
        when data_exception or integrity_constraint_violation or sqlstate 'MM001' then
            raise exception 'line %: %', each.line, sqlerrm using errcode = 'MM001';
        when sqlstate 'MM003' then
            raise exception 'line %: %', each.line, sqlerrm using errcode = 'MM003';
    end;
    return query
    select o.what, o.outcome, count(*)
      from unnest(kinds, outcomes) as o(what, outcome)
     group by o.what, o.outcome;
end
$function$;

comment on function aimemory.import_records is
    'Stores records of an export, in the order of the file; returns how many, by kind and outcome.';
