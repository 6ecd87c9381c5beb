-- Drop every view and function of the aimemory schema; no table, no data.
--
-- Never with cascade: if something outside our schema uses one of these
-- objects, stopping with an error is better than taking it down silently.
-- The newest goes first, since objects only use older ones.
do $$
declare
    victim record;
begin
    for victim in
        select format('drop view %s', c.oid::regclass) as statement
          from pg_catalog.pg_class c
         where c.relnamespace = to_regnamespace('aimemory') and c.relkind = 'v'
         order by c.oid desc
    loop
        execute victim.statement;
    end loop;
    for victim in
        select format('drop routine %s', p.oid::regprocedure) as statement
          from pg_catalog.pg_proc p
         where p.pronamespace = to_regnamespace('aimemory')
         order by p.oid desc
    loop
        execute victim.statement;
    end loop;
end
$$;
