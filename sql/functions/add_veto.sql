-- Never learn this again. Only the hash of the text is kept.
create function aimemory.add_veto(
    for_user     text,
    the_content  text        default null,
    the_slot     text        default null,
    why          text        default null,
    as_of        timestamptz default now()
)
returns uuid
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    new_id uuid := gen_random_uuid();
begin
    perform aimemory.lock_user(for_user, as_of);
    insert into aimemory.vetoes (user_id, veto_id, content_hash, slot, reason, created_at)
    values (for_user, new_id,
            case when the_content is not null then aimemory.content_hash(the_content) end,
            the_slot, why, as_of);
    return new_id;
end
$function$;

comment on function aimemory.add_veto is
    'Forbids learning a text (by its hash) or anything in a slot; explicit adds are not affected.';
