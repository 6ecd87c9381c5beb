-- How large the tables and indexes are, and how much of them is dead weight.
create view aimemory.storage_status
with (security_invoker = true) as
select c.relname as relation, 'table' as kind, null::name as of_table,
       pg_table_size(c.oid) as bytes, s.n_live_tup as live_rows, s.n_dead_tup as dead_rows,
       s.n_dead_tup / greatest(s.n_live_tup + s.n_dead_tup, 1)::double precision as dead_share,
       greatest(s.last_autovacuum, s.last_vacuum) as vacuumed_at,
       null::bigint as scans, true as is_valid, false as is_constraint
  from pg_catalog.pg_class c
  join pg_catalog.pg_stat_user_tables s on s.relid = c.oid
 where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'r'
   and c.relname <> 'alembic_version'
union all
select i.relname, 'index', t.relname, pg_relation_size(i.oid), null, null, null, null,
       s.idx_scan, x.indisvalid and x.indisready, x.indisunique
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  left join pg_catalog.pg_stat_user_indexes s on s.indexrelid = i.oid
 where i.relnamespace = 'aimemory'::regnamespace and i.relkind = 'i'
   and t.relname <> 'alembic_version';

comment on view aimemory.storage_status is
    'Sizes of tables and indexes, dead rows, when a table was vacuumed, and how often an index was used.';
comment on column aimemory.storage_status.dead_share is
    'Dead rows as a share of all, as the statistics of the server have it.';
comment on column aimemory.storage_status.scans is
    'How often the index was used since statistics began; null for a table.';
comment on column aimemory.storage_status.is_valid is
    'False for an index whose concurrent creation failed: drop it and create it again.';
comment on column aimemory.storage_status.is_constraint is
    'Whether the index keeps rows unique, so that it is needed even when it is never scanned.';
comment on column aimemory.storage_status.kind is 'table or index.';
comment on column aimemory.storage_status.of_table is 'The table of an index; null for a table.';
comment on column aimemory.storage_status.bytes is
    'On disk: of a table with its TOAST and without its indexes.';
comment on column aimemory.storage_status.live_rows is 'As the statistics of the server have it.';
comment on column aimemory.storage_status.dead_rows is
    'Old versions of rows that no vacuum has removed yet.';
comment on column aimemory.storage_status.vacuumed_at is 'Last vacuum, by hand or by autovacuum.';
comment on column aimemory.storage_status.relation is 'A table or an index of the schema aimemory.';
