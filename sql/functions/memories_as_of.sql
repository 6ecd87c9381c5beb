-- What was known of one user at a moment, as it was known then.
--
-- A memory counts if it was active then, whatever has become of it since: the last
-- step before that moment had put it there or brought it back. Its values are those
-- before the first correction after that moment, or the present ones. A change counts
-- from its own instant on, as it does for recall.
create function aimemory.memories_as_of(
    for_user   text,
    as_of      timestamptz default now(),
    in_scopes  text[]      default null,
    of_types   text[]      default null,
    max_rows   integer     default 1000
)
returns table (
    memory_id    uuid,
    content      text,
    memory_type  text,
    importance   double precision,
    scope        text,
    slot         text,
    entities     text[],
    tags         text[],
    event_at     timestamptz,
    valid_from   timestamptz,
    valid_until  timestamptz,
    created_at   timestamptz,
    state_now    text,
    content_now  text
)
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    if max_rows < 1 then
        raise exception 'max_rows must be at least 1, not %', max_rows using errcode = 'MM001';
    end if;
    return query
    with last_step as (
        select distinct on (r.memory_id) r.memory_id, r.action
          from aimemory.memory_revisions r
         where r.user_id = for_user and r.changed_at <= as_of
           and r.action in ('added', 'restored', 'superseded', 'archived')
         order by r.memory_id, r.revision desc
    ), next_correction as (
        select distinct on (r.memory_id) r.memory_id, r.content, r.details
          from aimemory.memory_revisions r
         where r.user_id = for_user and r.changed_at > as_of
           and r.action in ('updated', 'merged')
         order by r.memory_id, r.revision
    ), then_known as (
        select m.memory_id, m.scope, m.slot, m.event_at, m.valid_from, m.created_at,
               m.content as content_now,
               case when m.archived_at is null then m.status else 'archived' end as state_now,
               coalesce(n.content, m.content) as content,
               coalesce(n.details ->> 'memory_type', m.memory_type) as memory_type,
               coalesce((n.details ->> 'importance')::double precision, m.importance) as importance,
               case when n.details ? 'entities'
                    then array(select jsonb_array_elements_text(n.details -> 'entities'))
                    else m.entities end as entities,
               case when n.details ? 'tags'
                    then array(select jsonb_array_elements_text(n.details -> 'tags'))
                    else m.tags end as tags,
               case when n.details ? 'valid_until'
                    then (n.details ->> 'valid_until')::timestamptz
                    else m.valid_until end as valid_until
          from aimemory.all_memories m
          join last_step l on l.memory_id = m.memory_id and l.action in ('added', 'restored')
          left join next_correction n on n.memory_id = m.memory_id
         where m.user_id = for_user
    )
    select k.memory_id, k.content, k.memory_type, k.importance, k.scope, k.slot, k.entities,
           k.tags, k.event_at, k.valid_from, k.valid_until, k.created_at, k.state_now,
           k.content_now
      from then_known k
     where (in_scopes is null or k.scope = any (in_scopes))
       and (of_types is null or k.memory_type = any (of_types))
       and (k.valid_from is null or k.valid_from <= as_of)
       and (k.valid_until is null or k.valid_until > as_of)
     order by k.created_at desc, k.memory_id desc
     limit max_rows;
end
$function$;

comment on function aimemory.memories_as_of is
    'What was known at a moment, in the words of then: live since, archived or superseded; newest first.';
