-- Set the scale on which the similarities of one model are read.
create function aimemory.calibrate_model(
    for_model    text,
    low_cosine   double precision,
    high_cosine  double precision,
    as_of        timestamptz default now()
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    if not (low_cosine < high_cosine) then
        raise exception 'unrelated pairs (%) are not less similar than matching ones (%)',
            low_cosine, high_cosine using errcode = 'MM001';
    end if;
    update aimemory.embedding_models e
       set similarity_floor = low_cosine, similarity_ceiling = high_cosine, calibrated_at = as_of
     where e.model_id = for_model;
    if not found then
        raise exception 'the model % is not registered', for_model using errcode = 'MM003';
    end if;
end
$function$;

comment on function aimemory.calibrate_model is
    'Sets floor (unrelated pairs) and ceiling (best matches) of a model''s cosines.';
