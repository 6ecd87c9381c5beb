-- Install aimemory with psql alone, into an empty database, in one transaction:
--
--     psql -1 -v ON_ERROR_STOP=1 -f sql/install.sql
--
-- To renew the functions and views of an installed schema:
--
--     psql -1 -v ON_ERROR_STOP=1 -f sql/prepare.sql -f sql/drop.sql -f sql/objects.sql
\ir prepare.sql
\ir tables.sql
\ir objects.sql
