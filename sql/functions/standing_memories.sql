-- What applies to every answer, most important first, with what each took the place of.
create function aimemory.standing_memories(
    for_user   text,
    in_scopes  text[]      default null,
    max_rows   integer     default 20,
    as_of      timestamptz default now()
)
returns table (
    memory_id    uuid,
    content      text,
    memory_type  text,
    importance   double precision,
    created_at   timestamptz,
    updated_at   timestamptz,
    history      jsonb
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return query
    select m.memory_id, m.content, m.memory_type, m.importance, m.created_at, m.updated_at,
           (select coalesce(jsonb_agg(jsonb_build_object(
                       'memory_id', o.memory_id, 'content', o.content,
                       'created_at', o.created_at, 'superseded_at', o.superseded_at)
                       order by o.superseded_at desc, o.memory_id), '[]')
              from aimemory.all_memories o
             where o.user_id = for_user and o.superseded_by = m.memory_id
               and o.superseded_at <= as_of)
      from aimemory.all_memories m
     where m.user_id = for_user and m.standing
       and (m.archived_at is null or m.archived_at > as_of)
       and aimemory.visible(
               m.scope, m.memory_type, m.tags, m.metadata, m.created_at, m.superseded_at,
               m.valid_from, m.valid_until, in_scopes, null, null, null, as_of)
     order by m.importance desc, m.updated_at desc, m.memory_id
     limit max_rows;
end
$function$;

comment on function aimemory.standing_memories is
    'Live memories that apply to every answer (the profile block), most important first.';
