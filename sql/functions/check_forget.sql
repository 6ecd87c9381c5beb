-- Refuse to erase what was not clearly named.
create function aimemory.check_forget(used text[], containing text, with_veto boolean)
returns void
language plpgsql stable
set search_path from current
as $function$
#variable_conflict error
begin
    if used = '{}' then
        raise exception 'say what to forget: ids, scopes, types, tags, about, session, containing, before, or everything'
            using errcode = 'MM001';
    elsif 'everything' = any (used) and cardinality(used) > 1 then
        raise exception 'everything takes no other filter: leave it out, or %',
            array_to_string(array_remove(used, 'everything'), ' and ') using errcode = 'MM001';
    elsif 'everything' = any (used) and with_veto then
        raise exception 'a veto cannot outlive its user: leave it out, or name what to forget'
            using errcode = 'MM001';
    elsif btrim(containing) = '' then
        raise exception 'containing is blank, and every text contains that' using errcode = 'MM001';
    end if;
end
$function$;

comment on function aimemory.check_forget is
    'Raises MM001 if the filters of aimemory.forget choose nothing, or contradict each other.';
