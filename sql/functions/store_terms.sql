-- Renew the postings of one memory from its tsvector.
--
-- The old tsvector says which postings to remove, so no index by memory is
-- needed beside the one by word.
create function aimemory.store_terms(
    for_user   text,
    target     uuid,
    is_cold    boolean,
    old_words  tsvector,
    new_words  tsvector
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    delete from aimemory.memory_terms t
     where t.user_id = for_user and t.cold in (false, true) and t.memory_id = target
       and t.term = any (array(
               select l.term
                 from unnest(old_words) as o(lexeme, positions, weights)
                cross join lateral (values (o.lexeme), ('#' || o.lexeme)) as l(term)));
    insert into aimemory.memory_terms (user_id, cold, term, memory_id, frequency, words)
    select for_user, is_cold, l.term, target, l.frequency,
           greatest(sum(l.frequency) filter (where not l.is_name) over (), 1)
      from unnest(new_words) as n(lexeme, positions, weights)
     cross join lateral (
           select n.lexeme as term, false as is_name,
                  cardinality(array_positions(n.weights, 'D'))::smallint as frequency
           union all
           select '#' || n.lexeme, true, cardinality(array_positions(n.weights, 'A'))::smallint) l
     where l.frequency > 0;
end
$function$;

comment on function aimemory.store_terms is
    'Replaces the postings of one memory: those of the old tsvector go, those of the new come.';
