-- Let recall read another model from now on: one row changes, no vector moves.
--
-- Refused while memories lack a vector of it, since those could not be found by
-- meaning any more. A service that still embeds with the old model goes on working;
-- what it writes is found by its words until reembed is run once more.
create function aimemory.activate_model(new_model text)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.require_maintainer();
    perform from aimemory.embedding_models e order by e.model_id for no key update;
    if not exists (select from aimemory.embedding_models e where e.model_id = new_model) then
        raise exception 'the model % is not registered', new_model using errcode = 'MM003';
    end if;
    if exists (select from aimemory.missing_vectors(new_model, 1)) then
        raise exception 'some memories have no vector of % yet; run aimemory reembed', new_model
            using errcode = 'MM003';
    end if;
    update aimemory.embedding_models e set active = false where e.active;
    update aimemory.embedding_models e set active = true where e.model_id = new_model;
end
$function$;

comment on function aimemory.activate_model is
    'Switches recall to another model in one transaction; raises MM003 while vectors are missing.';
