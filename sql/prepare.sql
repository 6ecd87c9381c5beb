-- The schema, the extension, and the search path that every function keeps.
--
-- pgvector may live in any schema (some hosts use "extensions"). The path set
-- here is stored with each function by its clause "set search_path from current".
create schema if not exists aimemory;
create extension if not exists vector;

do $$
begin
    perform set_config('search_path', format('pg_catalog, %s, pg_temp', quote_ident(n.nspname)), true)
       from pg_catalog.pg_extension e
       join pg_catalog.pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector';
end
$$;
