-- Who may do what: three roles, row-level security on every user table, and grants.
--
-- Functions lose their grants when they are created again, so this runs after them
-- at every migrate. A table is locked only if its policies are not these already.
-- Services log in as members of aimemory_app, see docs/security.md.
do $$
declare
    missing  text[];
    too_free text[];
begin
    select array_agg(r.name order by r.name) into missing
      from unnest(array['aimemory_app', 'aimemory_analyst', 'aimemory_maintainer']) r(name)
     where to_regrole(r.name) is null;
    if missing is not null and not exists (
           select from pg_catalog.pg_roles r
            where r.rolname = current_user and (r.rolsuper or r.rolcreaterole)) then
        raise exception 'some roles are missing, and % may not create roles; have an administrator run: %',
            current_user, (select string_agg(format('create role %I;', r.name), ' ')
                             from unnest(missing) r(name))
            using errcode = 'MM004';
    end if;
    for each_role in 1 .. coalesce(cardinality(missing), 0) loop
        begin
            execute format('create role %I nologin nosuperuser nobypassrls', missing[each_role]);
        exception when duplicate_object or unique_violation then
            null;  -- Roles belong to all databases: another one is being migrated as well.
        end;
    end loop;
    select array_agg(r.rolname::text order by r.rolname) into too_free
      from pg_catalog.pg_roles r
     where r.rolname in ('aimemory_app', 'aimemory_analyst', 'aimemory_maintainer')
       and (r.rolsuper or r.rolbypassrls);
    if too_free is not null then
        raise exception 'row-level security would not hold for %; have an administrator run: %',
            array_to_string(too_free, ', '),
            (select string_agg(format('alter role %I nosuperuser nobypassrls;', r.name), ' ')
               from unnest(too_free) r(name))
            using errcode = 'MM004';
    end if;
end
$$;

-- Built-in functions only: a policy would keep our own from being dropped. Nothing is
-- seen while the setting is unset, or empty as after a transaction that had set it,
-- since no user_id is null or empty.
do $$
declare
    own_rows    text;
    wanted      text[];
    found_here  text[];
    each_table  record;
    each_policy name;
begin
    for each_table in
        select c.oid::regclass as name, c.relname, c.relrowsecurity, c.relforcerowsecurity
          from pg_catalog.pg_class c
          join pg_catalog.pg_attribute a
            on a.attrelid = c.oid
           and a.attname = case c.relname when 'erasures' then 'subject' else 'user_id' end
         where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'p')
           and not a.attisdropped
         order by c.relname
    loop
        -- A receipt names nobody, but its hash can be guessed.
        own_rows := case each_table.relname when 'erasures'
            then '(subject = encode(sha256(convert_to(current_setting(''aimemory.user_id''::text, '
                 'true), ''UTF8''::name)), ''hex''::text))'
            else '(user_id = current_setting(''aimemory.user_id''::text, true))' end;
        wanted := array[
            'analyst|PERMISSIVE|{aimemory_analyst}|SELECT|true|',
            'maintainer|PERMISSIVE|{aimemory_maintainer}|ALL|true|true',
            format('own_rows|PERMISSIVE|{public}|ALL|%s|%s', own_rows, own_rows)];
        if not each_table.relrowsecurity then
            execute format('alter table %s enable row level security', each_table.name);
        end if;
        -- Forced: the owner of the tables is no exception.
        if not each_table.relforcerowsecurity then
            execute format('alter table %s force row level security', each_table.name);
        end if;
        select array_agg(concat_ws('|', p.policyname, p.permissive, p.roles, p.cmd,
                                   coalesce(p.qual, ''), coalesce(p.with_check, ''))
                         order by p.policyname collate "C")
          into found_here
          from pg_catalog.pg_policies p
         where p.schemaname = 'aimemory' and p.tablename = each_table.relname;
        continue when found_here = wanted;
        for each_policy in
            select p.polname from pg_catalog.pg_policy p where p.polrelid = each_table.name
        loop
            execute format('drop policy %I on %s', each_policy, each_table.name);
        end loop;
        execute format('create policy own_rows on %s using %s with check %s',
                       each_table.name, own_rows, own_rows);
        execute format('create policy analyst on %s for select to aimemory_analyst using (true)',
                       each_table.name);
        execute format('create policy maintainer on %s to aimemory_maintainer'
                       ' using (true) with check (true)', each_table.name);
    end loop;
end
$$;

revoke all on schema aimemory from public;
revoke all on all tables in schema aimemory
  from public, aimemory_app, aimemory_analyst, aimemory_maintainer;
revoke all on all routines in schema aimemory from public;

grant usage on schema aimemory to aimemory_app, aimemory_analyst, aimemory_maintainer;
grant execute on all routines in schema aimemory
   to aimemory_app, aimemory_analyst, aimemory_maintainer;
grant select on all tables in schema aimemory to aimemory_analyst;

do $$
declare
    each_table record;
    write      text := 'select, insert, update, delete';
begin
    for each_table in
        select c.oid::regclass as name, c.relname, c.relkind,
               exists (select from pg_catalog.pg_attribute a
                        where a.attrelid = c.oid and a.attname = 'user_id') as has_user
          from pg_catalog.pg_class c
         where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'p', 'v')
    loop
        if each_table.relkind = 'v' or each_table.relname = 'alembic_version' then
            execute format('grant select on %s to aimemory_app, aimemory_maintainer',
                           each_table.name);
        else
            execute format('grant %s on %s to aimemory_maintainer', write, each_table.name);
            if each_table.has_user then
                execute format('grant %s on %s to aimemory_app', write, each_table.name);
            end if;
        end if;
    end loop;
end
$$;

grant select on aimemory.memory_types, aimemory.scoring_profiles to aimemory_app;
-- A store registers its model, and makes the first one the active one.
grant select, insert, update (active) on aimemory.embedding_models to aimemory_app;
grant select, insert on aimemory.calibrations to aimemory_app;
-- An erasure leaves a receipt.
grant select, insert on aimemory.erasures to aimemory_app;
