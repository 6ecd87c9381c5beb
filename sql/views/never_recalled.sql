-- Active memories that no answer has ever used.
create view aimemory.never_recalled with (security_invoker = true) as
select m.user_id, m.memory_id, m.content, m.memory_type, m.importance, m.created_at,
       extract(epoch from now() - m.created_at) / 86400 as days_old
  from aimemory.memories m
 where m.status = 'active'
   and not exists (select from aimemory.memory_access a
                    where a.user_id = m.user_id and a.memory_id = m.memory_id
                      and a.access_count > 0);

comment on view aimemory.never_recalled is
    'Active memories that were never given to the assistant; without a user_id it reads all.';
comment on column aimemory.never_recalled.days_old is 'Days since it was stored, as of now.';
