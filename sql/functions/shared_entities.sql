-- Which entities of a memory a question names, and whether it only shares a name.
--
-- Entities are in the form of aimemory.entity: name or name/kind. Without a kind on either side the name decides;
-- with two kinds they must agree: a question about rice cakes (年糕/food) is not
-- about the cat of that name (年糕/pet). Such a memory is a homonym.
create function aimemory.shared_entities(of_memory text[], of_question text[])
returns table (names text[], homonym boolean)
language sql immutable parallel safe rows 1
begin atomic
    select coalesce(array_agg(distinct m.entity order by m.entity) filter (where p.agree), '{}'),
           coalesce(bool_or(not p.agree), false)
               and not coalesce(bool_or(p.agree), false)
      from unnest(of_memory) as m(entity)
      join unnest(of_question) as q(entity)
        on split_part(q.entity, '/', 1) = split_part(m.entity, '/', 1)
     cross join lateral (
           select split_part(q.entity, '/', 2) in ('', split_part(m.entity, '/', 2))
                  or split_part(m.entity, '/', 2) = '' as agree) p;
end;

comment on function aimemory.shared_entities is
    'Entities of a memory that a question names, and whether they share a name but not the kind.';
