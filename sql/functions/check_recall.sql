-- Refuse arguments of aimemory.recall that would quietly give a wrong answer.
--
-- No search path of its own: setting one costs a tenth of a small recall, and the
-- caller has set it.
create function aimemory.check_recall(
    for_user      text,
    query_vector  halfvec,
    query_model   text,
    max_results   integer,
    entity_mode   text,
    profile_name  text,
    as_of         timestamptz
)
returns void
language plpgsql stable
as $function$
#variable_conflict error
declare
    expected integer;
begin
    if for_user is null or as_of is null then
        raise exception 'for_user and as_of must not be null' using errcode = 'MM001';
    end if;
    if coalesce(max_results, 0) < 1 then
        raise exception 'max_results must be at least 1, not %', max_results using errcode = 'MM001';
    end if;
    if entity_mode is null or entity_mode not in ('off', 'soft', 'hard') then
        raise exception 'entity_mode must be off, soft or hard, not %', entity_mode
            using errcode = 'MM001';
    end if;
    if not exists (select from aimemory.scoring_profiles p where p.profile = profile_name) then
        raise exception 'there is no scoring profile %; see aimemory.scoring_profiles', profile_name
            using errcode = 'MM001';
    end if;
    if query_vector is null then
        return;
    end if;
    select e.dimensions into expected
      from aimemory.embedding_models e
     where case when query_model is null then e.active else e.model_id = query_model end;
    if expected is null then
        raise exception 'no vectors of the model % are stored; run aimemory reembed',
            coalesce(query_model, '(active)') using errcode = 'MM003';
    end if;
    if expected <> vector_dims(query_vector) then
        raise exception 'the query vector has % dimensions, the stored ones have %',
            vector_dims(query_vector), expected using errcode = 'MM003';
    end if;
    if l2_norm(query_vector) = 0 then
        raise exception 'a vector of zeros has no direction and cannot be compared'
            using errcode = 'MM001';
    end if;
end
$function$;

comment on function aimemory.check_recall is
    'Raises MM001 or MM003 for arguments that aimemory.recall cannot answer rightly.';
