-- Erase the memories that pass the filters, and what the filters mean beside memories.
-- The caller holds the lock of the user.
create function aimemory.erase_chosen(
    for_user      text,
    wanted        uuid[],
    in_scopes     text[],
    of_types      text[],
    with_tags     text[],
    about         text[],
    from_session  text,
    containing    text,
    said_before   timestamptz,
    with_veto     boolean,
    as_of         timestamptz default now()
)
returns jsonb
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    targets uuid[] := aimemory.chosen_memories(
        for_user, wanted, in_scopes, of_types, with_tags, about, from_session, containing,
        said_before);
    aside   jsonb := '{}';
    counts  jsonb := '{}';
begin
    if with_veto then
        counts := jsonb_build_object(
            'vetoes', aimemory.veto_memories(for_user, targets, as_of));
    end if;
    if num_nonnulls(wanted, in_scopes, of_types, with_tags, about) = 0 then
        -- Before the memories, so that no log entry is first changed and then erased.
        aside := aimemory.erase_conversations(for_user, from_session, containing, said_before);
    elsif num_nonnulls(wanted, in_scopes, of_types, with_tags, from_session, containing,
                       said_before) = 0 then
        with gone_aliases as (
            delete from aimemory.entity_aliases a
             where a.user_id = for_user
               and array[a.alias, a.entity_name] && array(
                   select split_part(aimemory.entity(w.written), '/', 1)
                     from unnest(about) as w(written))
            returning a.alias
        )
        select jsonb_build_object('aliases', (select count(*) from gone_aliases)) into aside;
    end if;
    counts := counts || aimemory.erase_memories(for_user, targets);
    select counts || coalesce(
               jsonb_object_agg(
                   a.kind, a.number::bigint + coalesce((counts ->> a.kind)::bigint, 0)), '{}')
      into counts
      from jsonb_each_text(aside) as a(kind, number);
    return counts;
end
$function$;

comment on function aimemory.erase_chosen is
    'Erases what all the filters of aimemory.forget choose; returns counts of rows.';
