-- The ids of the memories, live, replaced or archived, that pass every filter given.
--
-- Words are looked for without regard to case and width, in the memory, in what the
-- user said, and in its earlier texts. A name stands for what it is an alias of, too.
create function aimemory.chosen_memories(
    for_user      text,
    wanted        uuid[]       default null,
    in_scopes     text[]       default null,
    of_types      text[]       default null,
    with_tags     text[]       default null,
    about         text[]       default null,
    from_session  text         default null,
    containing    text         default null,
    said_before   timestamptz  default null
)
returns uuid[]
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
declare
    names   text[] := array(select aimemory.entity(w.written) from unnest(about) as w(written));
    phrase  text := aimemory.normalized(containing);
begin
    names := names || array(
        select a.entity_name || coalesce('/' || a.entity_kind, '')
          from aimemory.entity_aliases a
         where a.user_id = for_user
           and a.alias in (select split_part(n.entity, '/', 1) from unnest(names) as n(entity)));
    return array(
        select m.memory_id
          from aimemory.all_memories m
         where m.user_id = for_user
           and (wanted is null or m.memory_id = any (wanted))
           and (in_scopes is null or m.scope = any (in_scopes))
           and (of_types is null or m.memory_type = any (of_types))
           and (with_tags is null or m.tags @> with_tags)
           and (about is null or exists (
                   select from aimemory.shared_entities(m.entities, names) s
                    where cardinality(s.names) > 0))
           and (from_session is null or m.session_id = from_session)
           and (said_before is null or m.created_at < said_before)
           and (phrase is null
                or strpos(aimemory.normalized(m.content), phrase) > 0
                or strpos(aimemory.normalized(m.evidence), phrase) > 0
                or strpos(aimemory.normalized(concat_ws(
                       E'\n', m.slot, m.metadata, array_to_string(m.tags || m.entities, E'\n'))),
                       phrase) > 0
                or exists (
                   select from aimemory.memory_revisions r
                    where r.user_id = for_user and r.memory_id = m.memory_id
                      and strpos(aimemory.normalized(concat_ws(
                              E'\n', r.content, r.reason, r.details)), phrase) > 0)));
end
$function$;

comment on function aimemory.chosen_memories is
    'Ids of one user''s memories, in any state, that pass all the filters of aimemory.forget.';
