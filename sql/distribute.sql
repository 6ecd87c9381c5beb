-- Spread the tables over the nodes of a Citus cluster; without Citus this does nothing.
--
--     psql -1 -v ON_ERROR_STOP=1 -f sql/distribute.sql
--
-- Run it on the coordinator, after `aimemory migrate` and after every later one: the
-- first run moves what is there, the next ones only what is new. All tables of one
-- user lie on one shard, that of the user's row; the small tables are on every node.
--
-- partmethod and repmodel tell what is distributed (h) and what is shared (n, t) from
-- a local table that Citus only keeps in its books because it refers to a shared one.
do $$
declare
    shared_tables  text[] := array[
        'memory_types', 'scoring_profiles', 'embedding_models', 'calibrations',
        'maintenance_runs', 'erasures'];
    user_tables    text[] := array[
        'users', 'memories', 'memory_access', 'memory_revisions', 'memory_vectors',
        'memory_terms', 'archive', 'entity_aliases', 'recall_log', 'sessions', 'turns',
        'candidates', 'vetoes'];
    each_table     text;
    pinned_plan    regprocedure;
begin
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        return;
    end if;
    foreach each_table in array shared_tables loop
        if not exists (select from pg_catalog.pg_dist_partition p
                        where p.logicalrelid = format('aimemory.%I', each_table)::regclass
                          and p.partmethod = 'n' and p.repmodel = 't') then
            perform create_reference_table(format('aimemory.%I', each_table));
        end if;
    end loop;
    foreach each_table in array user_tables loop
        if exists (select from pg_catalog.pg_dist_partition p
                    where p.logicalrelid = format('aimemory.%I', each_table)::regclass
                      and p.partmethod = 'h') then
            continue;
        elsif each_table = 'users' then
            perform create_distributed_table(
                'aimemory.users', 'user_id', shard_count => 32, colocate_with => 'none');
        else
            perform create_distributed_table(
                format('aimemory.%I', each_table), 'user_id', colocate_with => 'aimemory.users');
        end if;
    end loop;
    -- Citus finds the shard from the value of user_id, which a generic plan does not have.
    for pinned_plan in
        select p.oid from pg_catalog.pg_proc p
         where p.pronamespace = 'aimemory'::regnamespace
           and 'plan_cache_mode=force_generic_plan' = any (p.proconfig)
    loop
        execute format('alter function %s reset plan_cache_mode', pinned_plan);
    end loop;
    -- It looks for missing vectors on all shards and then changes a shared table that
    -- they refer to, which Citus allows only if it visits the shards one by one.
    alter function aimemory.activate_model(text) set citus.multi_shard_modify_mode = 'sequential';
    -- Policies are kept on the shards and read aimemory.user_id there: without this, nobody
    -- would see a row. Not a setting of aimemory_app: its members would not take it over.
    execute format('alter database %I set citus.propagate_set_commands = %L',
                   current_database(), 'local');
end
$$;
