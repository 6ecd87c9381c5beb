-- A batch of memories that have no vector of a model yet, in order of user and id.
--
-- Call it, embed, store_vectors, and call again with the last user and id until
-- it returns nothing: that is `aimemory reembed`, and it also heals memories
-- that were written while the embedding service was down.
create function aimemory.missing_vectors(
    for_model   text,
    max_rows    integer default 200,
    after_user  text    default '',
    after_id    uuid    default '00000000-0000-0000-0000-000000000000'
)
returns table (user_id text, memory_id uuid, content text, archived boolean)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    perform aimemory.require_maintainer();
    return query
    select m.user_id, m.memory_id, m.content, m.archived
      from (select l.user_id, l.memory_id, l.content, false as archived from aimemory.memories l
            union all
            select a.user_id, a.memory_id, a.content, true from aimemory.archive a) m
     where (m.user_id, m.memory_id) > (after_user, after_id)
       and not exists (select from aimemory.memory_vectors v
                        where v.user_id = m.user_id and v.memory_id = m.memory_id
                          and v.model_id = for_model)
     order by m.user_id, m.memory_id
     limit max_rows;
end
$function$;

comment on function aimemory.missing_vectors is
    'A batch of memories without a vector of a model, by user and id; the work list of reembed.';
