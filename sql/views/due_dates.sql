-- When each live memory goes to the archive, and why: what is stored, and what the rules say.
create view aimemory.due_dates
with (security_invoker = true) as
select m.user_id, m.memory_id, m.memory_type, a.due_at,
       aimemory.due_at(
           m.importance, m.pinned, m.valid_until, m.superseded_at, w.kept_since, w.last_used,
           t.decay_factor, w.lowest, t.archive_below, t.ttl_seconds) as falls_due_at,
       case when m.superseded_at is not null then 'superseded'
            when m.pinned then null
            when w.faded_at <= coalesce(
                     least(aimemory.later(m.valid_until, 0),
                           aimemory.later(w.kept_since, t.ttl_seconds)), 'infinity')
                then 'faded'
            when m.valid_until is not null or t.ttl_seconds is not null then 'ttl'
       end as reason,
       r.is_applied as rules_applied
  from aimemory.memories m
  join aimemory.memory_types t on t.memory_type = m.memory_type
  join aimemory.type_rules r on r.memory_type = m.memory_type
  left join aimemory.memory_access a on a.user_id = m.user_id and a.memory_id = m.memory_id
 cross join lateral (
       select k.kept_since, k.last_used, k.lowest,
              aimemory.fades_at(
                  m.importance, t.decay_factor, k.lowest, t.archive_below, k.last_used) as faded_at
         from (select greatest(m.last_confirmed_at, m.created_at, m.event_at) as kept_since,
                      greatest(m.last_confirmed_at, m.created_at, m.event_at, a.last_access_at)
                          as last_used,
                      case when m.importance >= t.decay_floor_from then t.decay_floor end
                          as lowest) k) w;

comment on view aimemory.due_dates is
    'When each live memory goes to the archive, and why; for one user it is fast, for all it reads every live memory.';
comment on column aimemory.due_dates.due_at is
    'As stored and indexed: what upkeep goes by; null: never.';
comment on column aimemory.due_dates.falls_due_at is
    'By the rules of memory_types as they are now; null: never. After a change of the rules the two differ until refresh_due_dates has run.';
comment on column aimemory.due_dates.reason is
    'superseded, ttl (out of its time) or faded; null: never.';
comment on column aimemory.due_dates.rules_applied is
    'False while the stored dates of this type wait for refresh_due_dates.';
