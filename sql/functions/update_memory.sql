-- Correct a live memory in place; what it said before goes to the revisions.
--
-- A null argument leaves its column alone; metadata is merged key by key. With a
-- new text the vectors of every model are dropped, since they mean the old one.
create function aimemory.update_memory(
    for_user        text,
    target          uuid,
    new_content     text             default null,
    to_type         text             default null,
    to_importance   double precision default null,
    about           text[]           default null,
    to_tags         text[]           default null,
    plus_metadata   jsonb            default null,
    to_standing     boolean          default null,
    true_until      timestamptz      default null,
    vectors         halfvec[]        default null,
    vector_model    text             default null,
    what            text             default 'updated',
    why             text             default null,
    changed_by      text             default null,
    as_of           timestamptz      default now()
)
returns uuid
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    before    record;
    words     tsvector;
    names     text[];
    its_text  text;
    its_hash  text;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    perform aimemory.check_type(to_type);
    select m.content, m.memory_type, m.importance, m.entities, m.tags, m.metadata, m.scope,
           m.slot, m.standing, m.valid_until, m.keywords
      into before
      from aimemory.memories m
     where m.user_id = for_user and m.memory_id = target and m.status = 'active';
    if not found then
        raise exception 'there is no active memory % to change; an archived one can be restored first',
            target using errcode = 'MM002';
    end if;
    its_text := coalesce(new_content, before.content);
    its_hash := aimemory.content_hash(its_text);
    if exists (select from aimemory.memories m
                where m.user_id = for_user and m.scope = before.scope and m.content_hash = its_hash
                  and m.status = 'active' and m.memory_id <> target) then
        raise exception 'another active memory says this already; delete one of the two'
            using errcode = 'MM001';
    end if;
    if before.memory_type = 'event' and to_type <> 'event'
       and exists (select from aimemory.memories m
                    where m.user_id = for_user and m.scope = before.scope
                      and m.slot = before.slot and m.memory_type <> 'event'
                      and m.status = 'active') then
        raise exception 'an active memory holds the slot % of this event; supersede one by the other',
            before.slot using errcode = 'MM001';
    end if;
    names := coalesce(array(select distinct aimemory.entity(w.written)
                              from unnest(about) as w(written)
                             where about is not null and aimemory.entity(w.written) <> ''), '{}');
    names := case when about is null then before.entities else names end;
    words := aimemory.keywords(its_text, names);

    update aimemory.memories m
       set content = its_text, content_hash = its_hash, keywords = words, entities = names,
           memory_type = coalesce(to_type, m.memory_type),
           importance = coalesce(to_importance, m.importance),
           tags = coalesce(to_tags, m.tags),
           metadata = m.metadata || coalesce(plus_metadata, '{}'),
           standing = coalesce(to_standing, m.standing),
           valid_until = coalesce(true_until, m.valid_until),
           updated_at = as_of
     where m.user_id = for_user and m.memory_id = target;
    if words is distinct from before.keywords then
        perform aimemory.store_terms(for_user, target, false, before.keywords, words);
    end if;
    if its_text <> before.content or vectors is not null then
        perform aimemory.store_vectors(
            for_user, target, false, vectors, vector_model, its_text <> before.content);
    end if;
    perform aimemory.set_due(for_user, array[target], as_of => as_of);
    perform aimemory.note_revision(
        for_user, target, what, why, changed_by, before.content,
        jsonb_build_object('memory_type', before.memory_type, 'importance', before.importance,
                           'entities', before.entities, 'tags', before.tags,
                           'metadata', before.metadata, 'standing', before.standing,
                           'valid_until', before.valid_until), as_of);
    return target;
end
$function$;

comment on function aimemory.update_memory is
    'Changes a live memory and keeps the old values as a revision; raises MM002 if there is none.';
