-- Bring an archived or superseded memory back to life. Its clocks start anew, and an end
-- that has passed is lifted, or it would go again at once.
create function aimemory.restore_memory(
    for_user    text,
    target      uuid,
    why         text        default null,
    changed_by  text        default null,
    as_of       timestamptz default now()
)
returns boolean
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    back record;
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    select o.content, o.scope, o.slot, o.memory_type, o.content_hash, o.keywords, o.cold into back
      from (select a.content, a.scope, a.slot, a.memory_type, a.content_hash, a.keywords, true as cold
              from aimemory.archive a
             where a.user_id = for_user and a.memory_id = target
            union all
            select m.content, m.scope, m.slot, m.memory_type, m.content_hash, m.keywords, false
              from aimemory.memories m
             where m.user_id = for_user and m.memory_id = target and m.status = 'superseded') o;
    if not found then
        return false;
    end if;
    if exists (select from aimemory.memories m
                where m.user_id = for_user and m.scope = back.scope and m.status = 'active'
                  and m.memory_id <> target
                  and (m.content_hash = back.content_hash
                       or (m.slot = back.slot and m.memory_type <> 'event'
                           and back.memory_type <> 'event'))) then
        raise exception 'an active memory holds its text or its slot %; supersede that one first',
            coalesce(back.slot, '') using errcode = 'MM001';
    end if;
    if back.cold then
        with moved as (
            delete from aimemory.archive a
             where a.user_id = for_user and a.memory_id = target
            returning a.*
        )
        insert into aimemory.memories
            (user_id, memory_id, content, memory_type, importance, scope, slot, entities, tags,
             keywords, content_hash, evidence, speaker, session_id, turn_no, valid_from,
             valid_until, event_at, created_at, updated_at, last_confirmed_at, confirm_count,
             pinned, standing, idempotency_key, metadata)
        select m.user_id, m.memory_id, m.content, m.memory_type, m.importance, m.scope, m.slot,
               m.entities, m.tags, m.keywords, m.content_hash, m.evidence, m.speaker,
               m.session_id, m.turn_no, m.valid_from, m.valid_until, m.event_at, m.created_at,
               m.updated_at, as_of, m.confirm_count, m.pinned, m.standing, m.idempotency_key,
               m.metadata
          from moved m;
        perform aimemory.store_terms(for_user, target, false, back.keywords, back.keywords);
        update aimemory.memory_vectors v
           set cold = false
         where v.user_id = for_user and v.memory_id = target;
    else
        update aimemory.memories m
           set status = 'active', superseded_by = null, superseded_at = null,
               last_confirmed_at = as_of
         where m.user_id = for_user and m.memory_id = target;
    end if;
    perform aimemory.renew_validity(for_user, target, null, null, null, as_of);
    perform aimemory.note_revision(
        for_user, target, 'restored', why, changed_by, back.content, null, as_of);
    return true;
end
$function$;

comment on function aimemory.restore_memory is
    'Makes an archived or superseded memory active again; raises MM001 if its slot or text is taken.';
