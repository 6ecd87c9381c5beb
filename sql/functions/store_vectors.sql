-- Replace the vectors of one memory: those of one model, or of all when its text changed.
create function aimemory.store_vectors(
    for_user      text,
    target        uuid,
    is_cold       boolean,
    vectors       halfvec[],
    vector_model  text,
    text_changed  boolean default false
)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    expected integer;
    wrong    integer;
begin
    delete from aimemory.memory_vectors v
     where v.user_id = for_user and v.memory_id = target
       and (text_changed or v.model_id = vector_model);
    if cardinality(coalesce(vectors, '{}')) = 0 then
        return;
    end if;
    select e.dimensions into expected
      from aimemory.embedding_models e
     where e.model_id = vector_model;
    if expected is null then
        raise exception 'the model % is not registered; run aimemory reembed or calibrate',
            coalesce(vector_model, '(none)') using errcode = 'MM003';
    end if;
    select max(vector_dims(v.embedding)) into wrong
      from unnest(vectors) as v(embedding)
     where vector_dims(v.embedding) <> expected;
    if wrong is not null then
        raise exception 'a vector has % dimensions, the model % has %', wrong, vector_model, expected
            using errcode = 'MM003';
    end if;
    -- Its cosine to anything is NaN, which PostgreSQL sorts above every number.
    if exists (select from unnest(vectors) as v(embedding) where l2_norm(v.embedding) = 0) then
        raise exception 'a vector of zeros has no direction and cannot be compared'
            using errcode = 'MM001';
    end if;
    insert into aimemory.memory_vectors
        (user_id, model_id, cold, memory_id, chunk, cjk, embedding)
    select for_user, vector_model, is_cold, target, (v.nth - 1)::smallint,
           coalesce(aimemory.script(o.content) = 'cjk', false), v.embedding
      from unnest(vectors) with ordinality as v(embedding, nth)
      left join (select m.content from aimemory.memories m
                  where m.user_id = for_user and m.memory_id = target
                 union all
                 select a.content from aimemory.archive a
                  where a.user_id = for_user and a.memory_id = target) o on true;
end
$function$;

comment on function aimemory.store_vectors is
    'Replaces the vectors of one memory; raises MM003 when the model or the size is wrong.';
