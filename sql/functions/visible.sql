-- Whether a memory takes part in a search: live at that time, and not filtered out.
--
-- One expression and no table, so the planner puts it in place of the call.
create function aimemory.visible(
    its_scope       text,
    its_type        text,
    its_tags        text[],
    its_metadata    jsonb,
    its_creation    timestamptz,
    its_succession  timestamptz,
    its_beginning   timestamptz,
    its_end         timestamptz,
    in_scopes       text[],
    of_types        text[],
    with_tags       text[],
    metadata_filter jsonpath,
    as_of           timestamptz
)
returns boolean
language sql immutable parallel safe
return its_creation <= as_of
   and (its_succession is null or its_succession > as_of)
   and (its_beginning is null or its_beginning <= as_of)
   and (its_end is null or its_end > as_of)
   and (in_scopes is null or its_scope = any (in_scopes))
   and (of_types is null or its_type = any (of_types))
   and (with_tags is null or its_tags @> with_tags)
   and (metadata_filter is null or coalesce(its_metadata @@ metadata_filter, false));

comment on function aimemory.visible is
    'Whether a memory is live at a time and passes the filters; a null filter lets all pass.';
