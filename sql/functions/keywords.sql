-- The tsvector of a memory: its words with weight D, entity names with weight A.
-- Entities are expected in the form of aimemory.entity.
--
-- Words start at place 2: place 1 is that of the names, and a tsvector keeps only
-- one of two weights at the same place. It holds 1 MB, positions up to 16,383 and
-- lexemes up to 2 kB; a text with more different words than that keeps those that
-- come first.
create function aimemory.keywords(input text, names text[] default '{}')
returns tsvector
language sql immutable parallel safe
begin atomic
    with words as (
        select t.token, min(t.place) as first_place,
               string_agg(least(t.place + 1, 16383) || 'D', ',' order by t.place)
                   filter (where t.nth <= 200) as places
          from (select u.token, u.place, row_number() over (partition by u.token) as nth
                  from unnest(aimemory.tokens(input)) with ordinality as u(token, place)) t
         group by t.token
        union all
        select distinct left(split_part(e.entity, '/', 1), 128), 0::bigint, '1A'
          from unnest(names) as e(entity)
         where split_part(e.entity, '/', 1) <> ''
    ), fitting as (
        select w.token, w.places, w.first_place,
               sum(octet_length(w.token) + length(w.places) + 12)
                   over (order by w.first_place, w.token, w.places) as bytes
          from words w
    )
    select coalesce(string_agg(
               '''' || replace(replace(f.token, '\', '\\'), '''', '''''') || ''':' || f.places, ' '),
               '')::tsvector
      from fitting f
     where f.bytes < 900000;
end;

comment on function aimemory.keywords is
    'tsvector of a memory: aimemory.tokens with positions, and entity names with weight A.';
