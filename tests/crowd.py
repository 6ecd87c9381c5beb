"""A database with many users in it, made once for the tests that need a crowd.

    user       memories  of which in scope "project:x"
    large          5,000    20
    small          1,250     7
    u1 … u50         875     0  each, the others

Every memory is one of 40 plain sentences with numbers, so words are common and rare,
and has a random vector of 8 dimensions; every fifth is about one of 10 entities. One in
forty is in the archive: memory 39, 79, and so on.
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from memories import NOW

LARGE, SMALL = "large", "small"
OWNED = {LARGE: 5_000, SMALL: 1_250}
IN_PROJECT = {LARGE: 20, SMALL: 7}
OTHERS = 50
SIZE = 8

LOAD = """
set local session_replication_role = replica;

select setseed(0.5);

insert into aimemory.embedding_models (model_id, dimensions, active, created_at)
values ('crowd', 8, true, %(now)s);

create temporary table owners as
select 'large' as user_id, 5000 as owned, 20 as in_project
union all select 'small', 1250, 7
union all select 'u' || i, 875, 0 from generate_series(1, 50) i;

insert into aimemory.users (user_id, created_at) select o.user_id, %(now)s from owners o;

create temporary table sentences as
select t.n, t.content, aimemory.keywords(t.content) as keywords
  from (select n, format('%%s %%s', words[1 + n %% 8], words[9 + n / 8]) as content
          from generate_series(0, 39) n,
               (select string_to_array('user likes,user knows,user sold,user bought,user hates,'
                   || 'user lost,user found,用户喜欢,green tea,old books,上海咖啡馆,running,music',
                   ',')) w(words)) t;

insert into aimemory.memories
    (user_id, memory_id, content, memory_type, importance, scope, entities, tags, keywords,
     content_hash, created_at, updated_at, last_confirmed_at, metadata)
select o.user_id, gen_random_uuid(), s.content || ' ' || i,
       (array['fact', 'preference', 'event', 'state', 'decision'])[1 + i %% 5],
       0.4 + 0.1 * (i %% 6),
       case when i <= o.in_project then 'project:x' else 'user' end,
       case when i %% 5 = 0 then array['entity ' || i %% 50 || '/thing'] else '{}' end,
       case when i %% 100 = 0 then array['rare'] else '{}' end,
       case when i %% 5 = 0 then ('''entity ' || i %% 50 || ''':1A')::tsvector else '' end
           || s.keywords || (i || ':1')::tsvector,
       o.user_id || i, %(now)s - i * interval '1 minute', %(now)s - i * interval '1 minute',
       %(now)s - i * interval '1 minute', jsonb_build_object('i', i)
  from owners o
 cross join lateral generate_series(1, o.owned) i
  join sentences s on s.n = i %% 40;

insert into aimemory.entity_aliases (user_id, alias, entity_name)
select o.user_id, 'alias ' || i, 'entity ' || i from owners o, generate_series(1, 100) i;

insert into aimemory.memory_access (user_id, memory_id, last_access_at)
select m.user_id, m.memory_id, m.created_at from aimemory.memories m;

insert into aimemory.memory_revisions
    (user_id, memory_id, revision, action, content, changed_at)
select m.user_id, m.memory_id, 1, 'added', m.content, m.created_at from aimemory.memories m;

insert into aimemory.memory_vectors (user_id, model_id, cold, memory_id, chunk, embedding)
select m.user_id, 'crowd', false, m.memory_id, 0,
       array[random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5,
             random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5]::real[]::halfvec(8)
  from aimemory.memories m;

insert into aimemory.memory_terms (user_id, cold, term, memory_id, frequency, words)
select m.user_id, false, l.term, m.memory_id, l.frequency, length(m.keywords)
  from aimemory.memories m
 cross join lateral unnest(m.keywords) n(lexeme, positions, weights)
 cross join lateral (
       select n.lexeme as term, cardinality(array_positions(n.weights, 'D')) as frequency
       union all
       select '#' || n.lexeme, cardinality(array_positions(n.weights, 'A'))) l
 where l.frequency > 0
 order by 1, 3, 4;

select aimemory.archive_memory(m.user_id, m.memory_id, 'faded', as_of => %(now)s)
  from (select m.user_id, m.memory_id from aimemory.memories m
         where m.scope = 'user' and (m.metadata ->> 'i')::integer %% 40 = 39) m
"""

_loaded: dict[str, str] = {}


def crowded(template: str, empty_database: Callable[..., str]) -> str:
    """Return the URL of the crowded database; the first caller waits for it to be made."""
    if template not in _loaded:
        url = empty_database(template)
        with psycopg.connect(url, autocommit=True) as connection:
            with connection.transaction():
                for statement in LOAD.split(";\n"):
                    connection.execute(statement.encode(), {"now": NOW})
            connection.execute("vacuum (analyze)")
        _loaded[template] = url
    return _loaded[template]
