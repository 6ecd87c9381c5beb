-- Store one memory, unless it is there already.
--
-- Judged in this order, with the user's row locked: the idempotency key; the
-- same words (confirm, or bring back from the archive); the same slot (the newer
-- one takes its place, the older one is kept as superseded). An event holds no
-- slot: having eaten bread does not undo having eaten an apple.
create function aimemory.add_memory(
    for_user         text,
    new_content      text,
    as_type          text             default 'fact',
    with_importance  double precision default null,
    in_scope         text             default 'user',
    in_slot          text             default null,
    about            text[]           default '{}',
    with_tags        text[]           default '{}',
    with_metadata    jsonb            default '{}',
    vectors          halfvec[]        default null,
    vector_model     text             default null,
    from_session     text             default null,
    from_turn        integer          default null,
    said_by          text             default null,
    quoting          text             default null,
    happening_at     timestamptz      default null,
    true_from        timestamptz      default null,
    true_until       timestamptz      default null,
    is_pinned        boolean          default false,
    is_standing      boolean          default false,
    request_key      text             default null,
    changed_by       text             default null,
    as_of            timestamptz      default now()
)
returns table (action text, reason text, memory_id uuid, replaced uuid)
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    new_id       uuid := gen_random_uuid();
    new_words    tsvector;
    its_hash     text := aimemory.content_hash(new_content);
    names        text[] := array(select distinct aimemory.entity(w.written)
                                   from unnest(about) as w(written)
                                  where aimemory.entity(w.written) <> '');
    found_id     uuid;
    earlier      uuid;
    old_content  text;
    its_weight   double precision;
begin
    perform aimemory.lock_user(for_user, as_of);
    perform aimemory.check_type(as_type);

    select k.memory_id into found_id
      from (select m.memory_id from aimemory.memories m
             where m.user_id = for_user and m.idempotency_key = request_key
            union all
            select a.memory_id from aimemory.archive a
             where a.user_id = for_user and a.idempotency_key = request_key) k
     limit 1;
    if found then
        return query select 'duplicate', 'idempotency_key', found_id, null::uuid;
        return;
    end if;

    select m.memory_id into found_id
      from aimemory.memories m
     where m.user_id = for_user and m.scope = in_scope and m.content_hash = its_hash
       and m.status = 'active';
    if found then
        perform aimemory.confirm_memory(for_user, found_id, 'said again', changed_by, as_of);
        perform aimemory.renew_validity(
            for_user, found_id, true_from, true_until, happening_at, as_of);
        return query select 'duplicate', 'same_content', found_id, null::uuid;
        return;
    end if;

    select m.memory_id into earlier
      from aimemory.memories m
     where m.user_id = for_user and m.scope = in_scope and m.slot = in_slot
       and m.status = 'active' and m.memory_type <> 'event' and as_type <> 'event';

    select a.memory_id into found_id
      from aimemory.archive a
     where a.user_id = for_user and a.scope = in_scope and a.content_hash = its_hash
       and a.status = 'active'
       -- One whose own slot another memory has taken meanwhile stays where it is.
       and not exists (select from aimemory.memories m
                        where m.user_id = for_user and m.scope = in_scope and m.slot = a.slot
                          and m.status = 'active' and m.memory_type <> 'event'
                          and a.memory_type <> 'event')
     order by a.archived_at desc, a.memory_id
     limit 1;
    if found and earlier is null then
        perform aimemory.restore_memory(for_user, found_id, 'said again', changed_by, as_of);
        perform aimemory.renew_validity(
            for_user, found_id, true_from, true_until, happening_at, as_of);
        return query select 'duplicate', 'restored', found_id, null::uuid;
        return;
    end if;

    if earlier is not null then
        -- The unique index allows one active memory a slot, so the old one steps
        -- aside first; supersede_memory below cannot, as it wants the new one there.
        update aimemory.memories m
           set status = 'superseded', superseded_by = new_id, superseded_at = as_of
         where m.user_id = for_user and m.memory_id = earlier
        returning m.content into old_content;
        perform aimemory.note_revision(
            for_user, earlier, 'superseded', 'slot taken', changed_by, old_content,
            jsonb_build_object('superseded_by', new_id), as_of);
    end if;

    new_words := aimemory.keywords(new_content, names);
    its_weight := coalesce(
        with_importance,
        (select t.default_importance from aimemory.memory_types t where t.memory_type = as_type),
        0.6);
    insert into aimemory.memories
        (user_id, memory_id, content, memory_type, importance, scope, slot, entities, tags,
         keywords, content_hash, evidence, speaker, session_id, turn_no, valid_from, valid_until,
         event_at, created_at, updated_at, last_confirmed_at, pinned, standing, idempotency_key,
         metadata)
    values
        (for_user, new_id, new_content, as_type, its_weight, in_scope, in_slot, names, with_tags,
         new_words, its_hash, quoting, said_by, from_session, from_turn, true_from, true_until, happening_at, as_of, as_of, as_of,
         is_pinned, is_standing, request_key, with_metadata);
    insert into aimemory.memory_access (user_id, memory_id, last_access_at)
    values (for_user, new_id, as_of);
    perform aimemory.store_terms(for_user, new_id, false, '', new_words);
    perform aimemory.store_vectors(for_user, new_id, false, vectors, vector_model);
    perform aimemory.set_due(for_user, array[new_id, earlier], as_of => as_of);
    perform aimemory.note_revision(
        for_user, new_id, 'added', null, changed_by, new_content, null, as_of);

    if earlier is null then
        select a.memory_id into earlier
          from aimemory.archive a
         where a.user_id = for_user and a.scope = in_scope and a.slot = in_slot
           and a.status = 'active' and a.memory_type <> 'event' and as_type <> 'event'
         order by a.archived_at desc, a.memory_id
         limit 1;
        if found then
            perform aimemory.supersede_memory(
                for_user, earlier, new_id, 'slot taken', changed_by, as_of);
        end if;
    end if;
    return query select case when earlier is null then 'inserted' else 'superseded' end,
                        case when earlier is null then null else 'slot' end, new_id, earlier;
end
$function$;

comment on function aimemory.add_memory is
    'Stores one memory; returns what was done (inserted, duplicate, superseded), why, and the ids.';
