-- Let a memory that is said again hold again: with the dates that were given with it.
--
-- Without them an end that has passed is lifted, for who says it today does not mean that
-- it was over last week.
create function aimemory.renew_validity(
    for_user      text,
    target        uuid,
    true_from     timestamptz,
    true_until    timestamptz,
    happening_at  timestamptz,
    as_of         timestamptz
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    update aimemory.memories m
       set valid_until = case when true_until is not null then true_until
                              when m.valid_until > as_of then m.valid_until end,
           valid_from = case when true_from is not null then true_from
                             when m.valid_from < true_until or true_until is null
                             then m.valid_from end,
           event_at = coalesce(happening_at, m.event_at)
     where m.user_id = for_user and m.memory_id = target;
    perform aimemory.set_due(for_user, array[target], as_of => as_of);
end
$function$;

comment on function aimemory.renew_validity is
    'Gives a memory that is said again the dates of today''s words, and lifts an end that has passed.';
