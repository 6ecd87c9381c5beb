-- Which of these texts quote one of these phrases word for word.
--
-- A phrase of fewer than four characters, such as "yes" or 是的, is found in what has
-- nothing to do with it: it counts only where it is all that was said. A few phrases are
-- compared with every text. For many that would be a product of two large numbers, so
-- texts are cut into pieces, at every second to eighth character, and meet the phrases
-- that have such a piece near their end, wherever the cuts fell. Materialized, or the
-- planner would compare all with all before it joins.
create function aimemory.quoting(texts text[], phrases text[])
returns text[]
language sql immutable parallel safe
begin atomic
    with given as (
        select distinct t.written, length(t.written) as size
          from unnest(texts) as t(written)
         where t.written is not null
    ), sought as (
        select distinct btrim(p.written, E' \t\r\n') as phrase from unnest(phrases) as p(written)
    ), longer as materialized (
        select s.phrase, case when length(s.phrase) >= 23 then 16
                              when length(s.phrase) >= 11 then 8 else 3 end as size
          from sought s
         where length(s.phrase) >= 4
    ), endings as materialized (
        select l.phrase, substr(l.phrase, length(l.phrase) - l.size - c.place + 1, l.size) as piece
          from longer l
         cross join lateral generate_series(0, (l.size - 1) / 2) as c(place)
    ), pieces as materialized (
        select g.written, substr(g.written, c.place, z.size) as piece
          from given g
         cross join (select distinct l.size from longer l) z
         cross join lateral generate_series(1, g.size - z.size + 1, (z.size + 1) / 2) as c(place)
         where cardinality(phrases) > 50 and g.size <= 2000
    ), pairs as materialized (
        select p.written, e.phrase from pieces p join endings e on e.piece = p.piece
    ), found_in as (
        select g.written
          from given g
          join sought s on s.phrase = btrim(g.written, E' \t\r\n') and s.phrase <> ''
        union
        select p.written from pairs p where strpos(p.written, p.phrase) > 0
        union
        select g.written
          from given g
         where (cardinality(phrases) <= 50 or g.size > 2000)
           and exists (select from longer l where strpos(g.written, l.phrase) > 0)
    )
    select coalesce(array_agg(f.written), '{}') from found_in f;
end;

comment on function aimemory.quoting is
    'Those of the texts that quote one of the phrases word for word.';
