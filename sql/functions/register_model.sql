-- Make an embedding model known. The first one becomes the active one.
--
-- Its known scales, {"questions": {"cjk": [floor, ceiling], …}, "memories": …}, are
-- taken only where none has been measured here; without any, cosines are read as they are.
create function aimemory.register_model(
    new_model      text,
    vector_size    integer,
    for_queries    text             default '',
    for_documents  text             default '',
    known_scales   jsonb            default '{}',
    as_of          timestamptz      default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    known_size integer;
begin
    insert into aimemory.embedding_models
        (model_id, dimensions, query_prefix, document_prefix, active, created_at)
    values (new_model, vector_size, for_queries, for_documents, false, as_of)
    on conflict on constraint embedding_models_pkey do nothing;
    insert into aimemory.calibrations
        (model_id, comparing, script, similarity_floor, similarity_ceiling)
    select new_model, c.key, s.key, (s.value ->> 0)::double precision,
           (s.value ->> 1)::double precision
      from jsonb_each(known_scales) c
     cross join lateral jsonb_each(c.value) s
    on conflict on constraint calibrations_pkey do nothing;
    select e.dimensions into known_size
      from aimemory.embedding_models e
     where e.model_id = new_model;
    if known_size <> vector_size then
        raise exception 'the model % is registered with % dimensions and now gives %',
            new_model, known_size, vector_size using errcode = 'MM003';
    end if;
    -- Two first openings at once must not both become active: the second waits
    -- on the unique index and then sees the first.
    if not exists (select from aimemory.embedding_models e where e.active) then
        begin
            update aimemory.embedding_models e set active = true where e.model_id = new_model;
        exception when unique_violation then
            null;
        end;
    end if;
    return (select e.active from aimemory.embedding_models e where e.model_id = new_model);
end
$function$;

comment on function aimemory.register_model is
    'Registers an embedding model, the first one as active; returns whether it is the active one.';
