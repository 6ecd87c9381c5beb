-- Which of these texts quote one of these phrases word for word.
--
-- A phrase of fewer than four characters, such as "yes" or 是的, is found in what has
-- nothing to do with it: it counts only where it is all that was said. A few phrases are
-- compared with every text. For many that would be a product of two large numbers, so
-- texts are cut at every character into pieces of eight (or four) and meet those phrases
-- that end in such a piece.
create function aimemory.quoting(texts text[], phrases text[])
returns text[]
language sql immutable parallel safe
begin atomic
    with given as (
        select distinct t.written from unnest(texts) as t(written) where t.written is not null
    ), sought as (
        select distinct btrim(p.written, E' \t\r\n') as phrase
          from unnest(phrases) as p(written)
         where btrim(p.written, E' \t\r\n') <> ''
    ), longer as materialized (
        select s.phrase, z.size, right(s.phrase, z.size) as ending
          from sought s
         cross join lateral (
               select case when length(s.phrase) < 8 then 4 else 8 end as size) z
         where length(s.phrase) >= 4
    ), pieces as (
        select g.written, z.size, substr(g.written, c.place, z.size) as piece
          from given g
         cross join (select distinct l.size from longer l) z
         cross join lateral generate_series(1, length(g.written) - z.size + 1) as c(place)
         where cardinality(phrases) > 50 and length(g.written) <= 2000
    ), found_in as (
        select g.written
          from given g
          join sought s on s.phrase = btrim(g.written, E' \t\r\n')
        union
        select p.written
          from pieces p
          join longer l on l.ending = p.piece and l.size = p.size
         where strpos(p.written, l.phrase) > 0
        union
        select g.written
          from given g
         where (cardinality(phrases) <= 50 or length(g.written) > 2000)
           and exists (select from longer l where strpos(g.written, l.phrase) > 0)
    )
    select coalesce(array_agg(f.written), '{}') from found_in f;
end;

comment on function aimemory.quoting is
    'Those of the texts that quote one of the phrases word for word.';
