-- The rules by which each type of memory fades, now and as the stored due dates have them.
create view aimemory.type_rules
with (security_invoker = true) as
select r.memory_type, r.rules, t.applied_rules,
       coalesce(t.applied_rules = r.rules, false) as is_applied
  from aimemory.memory_types t
 cross join lateral (
       select t.memory_type,
              aimemory.fading_rules(
                  t.decay_factor, t.decay_floor, t.decay_floor_from, t.ttl_seconds,
                  t.archive_below) as rules) r;

comment on view aimemory.type_rules is
    'Whether the stored due dates of each type follow its rules; refresh_due_dates sees to that.';
comment on column aimemory.type_rules.rules is 'The rules as they are, in one text.';
comment on column aimemory.type_rules.is_applied is 'False while the stored dates wait for upkeep.';
