-- Never learn these again: neither what they say or have said, nor anything in their slots.
create function aimemory.veto_memories(
    for_user  text,
    targets   uuid[],
    as_of     timestamptz default now()
)
returns bigint
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    hashes  text[];
    slots   text[];
begin
    perform aimemory.lock_user(for_user, as_of, create_missing => false);
    hashes := array(
        select m.content_hash from aimemory.all_memories m
         where m.user_id = for_user and m.memory_id = any (targets)
        union
        select aimemory.content_hash(r.content) from aimemory.memory_revisions r
         where r.user_id = for_user and r.memory_id = any (targets) and r.content <> ''
        except
        select v.content_hash from aimemory.vetoes v where v.user_id = for_user);
    slots := array(
        select m.slot from aimemory.all_memories m
         where m.user_id = for_user and m.memory_id = any (targets) and m.slot is not null
        except
        select v.slot from aimemory.vetoes v where v.user_id = for_user);
    insert into aimemory.vetoes (user_id, veto_id, content_hash, slot, reason, created_at)
    select for_user, gen_random_uuid(), h.hash, null, 'forgotten by the user', as_of
      from unnest(hashes) as h(hash)
    union all
    select for_user, gen_random_uuid(), null, s.name, 'forgotten by the user', as_of
      from unnest(slots) as s(name);
    return cardinality(hashes) + cardinality(slots);
end
$function$;

comment on function aimemory.veto_memories is
    'Forbids learning memories again, by the hashes of their texts and by slot; returns how many vetoes.';
