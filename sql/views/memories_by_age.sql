-- How old memories are, in six bands, over all users.
create view aimemory.memories_by_age with (security_invoker = true) as
with stored as (
    select case when m.archived_at is null then m.status else 'archived' end as state,
           width_bucket(extract(epoch from now() - m.created_at) / 86400,
                        array[1, 7, 30, 90, 365]::numeric[]) as band_no
      from aimemory.all_memories m
), bands (band_no, age) as (
    values (0, 'under a day'), (1, 'under a week'), (2, 'under a month'),
           (3, 'under a quarter'), (4, 'under a year'), (5, 'older')
)
select b.band_no, b.age,
       count(*) filter (where s.state = 'active') as active,
       count(*) filter (where s.state = 'superseded') as superseded,
       count(*) filter (where s.state = 'archived') as archived
  from bands b
  left join stored s on s.band_no = b.band_no
 group by b.band_no, b.age;

comment on view aimemory.memories_by_age is
    'How many memories are how old, counted from created_at to now; it reads every memory.';
comment on column aimemory.memories_by_age.band_no is '0 for the youngest to 5, to sort by.';
comment on column aimemory.memories_by_age.age is
    'under a day, week (7 days), month (30), quarter (90), year (365), or older.';
comment on column aimemory.memories_by_age.active is 'Live and not replaced.';
comment on column aimemory.memories_by_age.superseded is 'Live and replaced by newer ones.';
comment on column aimemory.memories_by_age.archived is 'In the archive, replaced or not.';
