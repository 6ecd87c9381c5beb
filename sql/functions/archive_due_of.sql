-- Archive those of some memories of one user that are due, each as of when it fell due.
--
-- The caller holds the lock of the user. A memory whose stored date the rules no longer
-- bear out gets the right date instead.
create function aimemory.archive_due_of(
    for_user  text,
    targets   uuid[],
    as_of     timestamptz default now()
)
returns integer
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    due     uuid[];
    reasons text[];
    moments timestamptz[];
    others  uuid[];
begin
    select array_agg(h.memory_id) filter (where d.falls_due_at <= as_of),
           array_agg(d.reason) filter (where d.falls_due_at <= as_of),
           array_agg(h.due_at) filter (where d.falls_due_at <= as_of),
           array_agg(h.memory_id) filter (where d.falls_due_at is null or d.falls_due_at > as_of)
      into due, reasons, moments, others
      from aimemory.memory_access h
      left join aimemory.due_dates d on d.user_id = for_user and d.memory_id = h.memory_id
     where h.user_id = for_user and h.memory_id = any (targets) and h.due_at <= as_of;
    if others is not null then
        update aimemory.memory_access a
           set due_at = null
         where a.user_id = for_user and a.memory_id = any (others);
        perform aimemory.set_due(for_user, others, as_of => as_of);
    end if;
    return aimemory.archive_memories(for_user, due, reasons, moments, 'upkeep');
end
$function$;

comment on function aimemory.archive_due_of is
    'Archives those memories of one user that are due, and mends stored dates; returns how many moved.';
