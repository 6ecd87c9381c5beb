-- Whether the user has said no to this before.
create function aimemory.is_vetoed(for_user text, the_content text, the_slot text default null)
returns boolean
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    return exists (
        select from aimemory.vetoes v
         where v.user_id = for_user
           and (v.content_hash = aimemory.content_hash(the_content) or v.slot = the_slot));
end
$function$;

comment on function aimemory.is_vetoed is 'Whether a text or a slot may not be learnt.';
