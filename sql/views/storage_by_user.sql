-- What each user takes up, table by table.
create view aimemory.storage_by_user with (security_invoker = true) as
select r.user_id, 'memories' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.memories r
 group by r.user_id
union all
select r.user_id, 'archive' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.archive r
 group by r.user_id
union all
select r.user_id, 'memory_access' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.memory_access r
 group by r.user_id
union all
select r.user_id, 'memory_vectors' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.memory_vectors r
 group by r.user_id
union all
select r.user_id, 'memory_terms' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.memory_terms r
 group by r.user_id
union all
select r.user_id, 'memory_revisions' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.memory_revisions r
 group by r.user_id
union all
select r.user_id, 'entity_aliases' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.entity_aliases r
 group by r.user_id
union all
select r.user_id, 'recall_log' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.recall_log r
 group by r.user_id
union all
select r.user_id, 'sessions' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.sessions r
 group by r.user_id
union all
select r.user_id, 'turns' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.turns r
 group by r.user_id
union all
select r.user_id, 'candidates' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.candidates r
 group by r.user_id
union all
select r.user_id, 'vetoes' as table_name, count(*) as rows,
       sum(pg_column_size(r)) as bytes
  from aimemory.vetoes r
 group by r.user_id;

comment on view aimemory.storage_by_user is
    'Rows and bytes of each user in each table; costly: it reads every table from end to end.';
comment on column aimemory.storage_by_user.table_name is 'A table that has rows of this user.';
comment on column aimemory.storage_by_user.rows is 'How many.';
comment on column aimemory.storage_by_user.bytes is
    'Estimate: the size of the rows, without indexes and free space.';
