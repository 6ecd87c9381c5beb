-- Renew one batch of due dates after somebody has changed memory_types.
--
-- memory_types.applied_rules says which rules the stored dates follow. While a pass over
-- the memories goes on, the new rules stand there behind ~ and the transaction that began
-- it. The last batch takes that away, unless the rules have changed again, a user was left
-- out because somebody was writing there, or the pass began while a transaction was open
-- that may have read the old rules: what that one writes, a later pass sees. So a pass
-- that was interrupted begins anew, and when nothing has changed a call costs one look at
-- memory_types. Call it with the last user and id, and with is_complete false once
-- something was left out, until they come back as null.
create function aimemory.refresh_due_dates(
    max_rows      integer     default 5000,
    after_user    text        default '',
    after_id      uuid        default '00000000-0000-0000-0000-000000000000',
    is_complete   boolean     default true,
    is_rehearsal  boolean     default false,
    as_of         timestamptz default now()
)
returns table (changed bigint, left_out bigint, last_user text, last_id uuid)
language plpgsql volatile
set search_path from current
as $function$
#variable_conflict error
declare
    stale      text[];
    rows_read  bigint := 0;
    batch      record;
begin
    perform aimemory.require_maintainer();
    changed := 0;
    left_out := 0;
    stale := array(select r.memory_type from aimemory.type_rules r where not r.is_applied);
    if after_user = '' and not is_rehearsal then
        update aimemory.memory_types t
           set applied_rules = '~' || pg_current_xact_id()::text || ' ' || r.rules
          from aimemory.type_rules r
         where r.memory_type = t.memory_type and t.memory_type = any (stale)
           and regexp_replace(t.applied_rules, '^~[0-9]+ ', '') is distinct from r.rules;
        select count(*) into left_out
          from aimemory.type_rules r
         where r.memory_type = any (stale)
           and substring(r.applied_rules from '^~([0-9]+)')::xid8
               > pg_snapshot_xmin(pg_current_snapshot());
    end if;
    for batch in
        select n.user_id, count(*) as memories,
               (array_agg(n.memory_id order by n.memory_id desc))[1] as newest,
               -- What was due and still is stays as it is: its date is when it fell due.
               array_agg(n.memory_id) filter (
                   where d.due_at is distinct from d.falls_due_at
                     and not coalesce(greatest(d.due_at, d.falls_due_at) <= as_of
                                      and d.due_at is not null and d.falls_due_at is not null,
                                      false)) as targets
          from (select m.user_id, m.memory_id
                  from aimemory.memories m
                 where (m.user_id, m.memory_id) > (after_user, after_id)
                   and m.memory_type = any (stale)
                 order by m.user_id, m.memory_id
                 limit max_rows) n
          join aimemory.due_dates d on d.user_id = n.user_id and d.memory_id = n.memory_id
         group by n.user_id
         order by n.user_id
    loop
        rows_read := rows_read + batch.memories;
        last_user := batch.user_id;
        last_id := batch.newest;
        if is_rehearsal then
            changed := changed + coalesce(cardinality(batch.targets), 0);
            continue;
        end if;
        if aimemory.try_lock_user(batch.user_id) then
            changed := changed + aimemory.set_due(batch.user_id, batch.targets, as_of => as_of);
        else
            left_out := left_out + 1;
        end if;
    end loop;
    if max_rows is null or rows_read < max_rows then
        last_user := null;
        last_id := null;
        update aimemory.memory_types t
           set applied_rules = r.rules
          from aimemory.type_rules r
         where is_complete and left_out = 0 and not is_rehearsal
           and r.memory_type = t.memory_type
           and t.applied_rules like '~%' and regexp_replace(t.applied_rules, '^~[0-9]+ ', '') = r.rules;
    end if;
    return next;
end
$function$;

comment on function aimemory.refresh_due_dates is
    'Renews one batch of due dates after a change of memory_types; returns how many, and where to go on.';
