-- Give an entity of one user another name.
create function aimemory.set_alias(for_user text, other_name text, of_entity text)
returns void
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.lock_user(for_user);
    insert into aimemory.entity_aliases (user_id, alias, entity_name, entity_kind)
    select for_user, split_part(aimemory.entity(other_name), '/', 1), split_part(e.entity, '/', 1),
           nullif(split_part(e.entity, '/', 2), '')
      from aimemory.entity(of_entity) as e(entity)
    on conflict on constraint entity_aliases_pkey
    do update set entity_name = excluded.entity_name, entity_kind = excluded.entity_kind;
end
$function$;

comment on function aimemory.set_alias is
    'Lets one user''s questions about one name find memories about another: set_alias(u, ''我爸'', ''父亲/person'').';
