-- Embedding models and their scales as JSON, for the header of an export.
create function aimemory.described_models(names text[])
returns jsonb
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return (
        with scales as (
            select c.model_id, c.comparing, jsonb_object_agg(
                       c.script, jsonb_build_array(
                           c.similarity_floor, c.similarity_ceiling)) as by_script
              from aimemory.calibrations c
             where c.model_id = any (names)
             group by c.model_id, c.comparing
        )
        select coalesce(jsonb_agg(
                   jsonb_build_object(
                       'model_id', e.model_id, 'dimensions', e.dimensions,
                       'query_prefix', e.query_prefix, 'document_prefix', e.document_prefix,
                       'scales', coalesce((
                           select jsonb_object_agg(s.comparing, s.by_script)
                             from scales s where s.model_id = e.model_id), '{}'))
                   order by e.model_id), '[]')
          from aimemory.embedding_models e
         where e.model_id = any (names));
end
$function$;

comment on function aimemory.described_models is
    'Sizes, prefixes and scales of embedding models, as aimemory.register_model takes them.';
