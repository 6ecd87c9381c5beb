-- Remove one batch of vectors of a model that is no longer active.
--
-- Call it until it returns 0. Nothing else is touched: the model stays in the
-- registry with its calibration, so going back only needs reembed.
create function aimemory.drop_vectors(of_model text, max_rows integer default 5000)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    removed bigint;
begin
    perform aimemory.require_maintainer();
    if exists (select from aimemory.embedding_models e where e.model_id = of_model and e.active) then
        raise exception 'the model % is active; activate another one first', of_model
            using errcode = 'MM001';
    end if;
    with batch as (
        select v.user_id, v.memory_id, v.chunk
          from aimemory.memory_vectors v
         where v.model_id = of_model
         limit max_rows
    )
    delete from aimemory.memory_vectors v
     using batch b
     where v.user_id = b.user_id and v.memory_id = b.memory_id and v.chunk = b.chunk
       and v.model_id = of_model;
    get diagnostics removed = row_count;
    return removed;
end
$function$;

comment on function aimemory.drop_vectors is
    'Deletes one batch of an inactive model''s vectors; call until it returns 0.';
