-- Set the scale on which the similarities of one model are read for one script:
-- those of questions with memories, or those of memories with each other.
create function aimemory.calibrate_model(
    for_model    text,
    for_script   text,
    low_cosine   double precision,
    high_cosine  double precision,
    pairs_of     text        default 'questions',
    as_of        timestamptz default now()
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    if low_cosine is null or high_cosine is null or low_cosine >= high_cosine
       or high_cosine = 'NaN' then
        raise exception 'unrelated pairs (%) are not less similar than matching ones (%)',
            low_cosine, high_cosine using errcode = 'MM001';
    end if;
    if not exists (select from aimemory.embedding_models e where e.model_id = for_model) then
        raise exception 'the model % is not registered', for_model using errcode = 'MM003';
    end if;
    insert into aimemory.calibrations
        (model_id, script, comparing, similarity_floor, similarity_ceiling, calibrated_at)
    values (for_model, for_script, pairs_of, low_cosine, high_cosine, as_of)
    on conflict on constraint calibrations_pkey do update
       set similarity_floor = excluded.similarity_floor,
           similarity_ceiling = excluded.similarity_ceiling,
           calibrated_at = excluded.calibrated_at;
end
$function$;

comment on function aimemory.calibrate_model is
    'Sets floor (unrelated pairs) and ceiling (best matches) of a model''s cosines for a script.';
