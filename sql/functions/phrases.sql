-- Every run of neighbouring pieces that could be the name of something.
--
-- A query is searched for the names a user has memories about by looking each
-- of these up, instead of holding every known name against the query: the cost
-- follows the length of the question. Only the last 64 pieces are read, since
-- what a long message is about stands at its end.
create function aimemory.phrases(input text)
returns text[]
language sql immutable parallel safe
begin atomic
    with recent as (
        select p.place, p.spaced,
               case when p.glued or p.place = 1 then '' else ' ' end || p.piece as piece
          from aimemory.pieces(input) p
         order by p.place desc
         limit 64
    ), placed as (
        select r.place, r.spaced, string_agg(r.piece, '') over (order by r.place rows between unbounded preceding
                                               and unbounded following) as line,
               sum(length(r.piece)) over (order by r.place) as finish,
               sum(length(r.piece)) over (order by r.place) - length(r.piece) as start
          from recent r
    )
    select coalesce(array_agg(distinct btrim(substr(f.line, f.start::integer + 1,
                                                    (l.finish - f.start)::integer))), '{}')
      from placed f
      join placed l on l.place between f.place and f.place + 7
     where l.place < f.place + 5 or not (f.spaced or l.spaced);
end;

comment on function aimemory.phrases is
    'Every run of up to 8 characters or 5 words of a text: the names that may be mentioned in it.';
