-- Renew the due dates of live memories after a change, or after a use.
--
-- With used_at the memories count as used then, once per conversation: a clock that
-- starts anew with every mention is enough. The caller holds the lock of the user.
create function aimemory.set_due(
    for_user    text,
    targets     uuid[],
    used_at     timestamptz default null,
    in_session  text        default null,
    as_of       timestamptz default now()
)
returns integer
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    renewed integer;
begin
    update aimemory.memory_access a
       set last_access_at = greatest(a.last_access_at, used_at),
           access_count = a.access_count
               + (used_at is not null
                  and (in_session is null or in_session is distinct from a.last_session_id))::integer,
           last_session_id = coalesce(in_session, a.last_session_id),
           due_at = aimemory.due_at(
               m.importance, m.pinned, m.valid_until, m.superseded_at,
               greatest(m.last_confirmed_at, m.created_at, m.event_at),
               greatest(m.last_confirmed_at, m.created_at, m.event_at, a.last_access_at, used_at),
               t.decay_factor, case when m.importance >= t.decay_floor_from then t.decay_floor end,
               t.archive_below, t.ttl_seconds, as_of)
      from aimemory.memories m
      join aimemory.memory_types t on t.memory_type = m.memory_type
     where a.user_id = for_user and a.memory_id = any (targets)
       and m.user_id = for_user and m.memory_id = a.memory_id
       and (used_at is null or m.status = 'active');
    get diagnostics renewed = row_count;
    return renewed;
end
$function$;

comment on function aimemory.set_due is
    'Renews when memories are due for the archive; with used_at they count as used. Returns how many.';
