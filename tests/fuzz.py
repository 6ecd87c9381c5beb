"""Many users who do anything at random, and a list of who owns what.

Every operation goes through the store, the repository or plain SQL, as the role for
services, alone or in a transaction that is kept or undone. It may name ids that
belong to another user. What comes back, and what is there at the end, is held against
the list.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, cast
from uuid import UUID, uuid4

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from aimemory import AimemoryError, MemoryRepository, MemoryStore, NotFound
from aimemory.errors import AccessDenied
from memories import ask, rows
from test_isolation import TRICKY

ALIKE = [
    *("ann", "ANN", "Ann", "ann ", " ann", "an", "anna", "ann%", "ann_", "a_n", "%", "_", "*", "."),
    *("'", "''", '"', "\\", "\\'", "';--", "' or '1'='1", "$1", "%s", "{}", "null", "NULL", "0"),
    *("\n", "ann\n", "\t", "ann\tb", "年糕", "年", "🐱", "🐱🐱", "é", "e\u0301", "\u200b"),
    *("x" * 512, "x" * 511, "public", "aimemory_maintainer", "current_user", "default"),
]
WORDS = ["tea", "coffee", "car", "boat", "Paris", "年糕", "上海", "green", "old", "miso"]
SAID = "said by {}"
"""What users say names them, so that it is seen whose it is."""


def users(random_: random.Random, count: int) -> list[str]:
    """Return ids that are easily taken for one another, or for SQL."""
    found = dict.fromkeys(ALIKE)
    while len(found) < count:
        found["".join(random_.choices([*TRICKY, "a", "n"], k=random_.randint(1, 6)))] = None
    return random_.sample([*found], count)


class Leak(AssertionError):
    """Something of one user has come to another."""


class Crowd:
    """The users, what they own, and the connections that they share."""

    def __init__(self, app_url: str, admin_url: str, *, seed: int, count: int = 60) -> None:
        self.random = random.Random(seed)
        self.users = users(self.random, count)
        self.store = MemoryStore.open(app_url, embedder="none", pool_size=1)
        self.alone = psycopg.connect(app_url, autocommit=True)
        self.inside = psycopg.connect(app_url)
        self.admin = psycopg.connect(admin_url, autocommit=True)
        self.memories: dict[str, dict[UUID, str]] = defaultdict(dict)
        self.candidates: dict[str, set[UUID]] = defaultdict(set)
        self.owner: dict[UUID, str] = {}
        self.done: Counter[str] = Counter()
        self.tables = ask(
            self.admin,
            "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid"
            " where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'v')"
            " and a.attname = 'user_id' order by 1",
        )
        self.operations = {
            name.removeprefix("do_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("do_")
        }

    def close(self) -> None:
        self.store.close()
        for connection in (self.alone, self.inside, self.admin):
            connection.close()

    # --- one operation -------------------------------------------------------------------

    def play(self, operations: int) -> None:
        """Do things at random, and compare everything from time to time."""
        for number in range(operations):
            try:
                self.step()
            except AssertionError as error:
                error.add_note(f"in operation {number}, after {dict(self.done)}")
                raise
            if number % 5_000 == 4_999:
                self.compare()

    def step(self) -> None:
        """Do one thing as one user; raise Leak if it reaches anything of another."""
        name = self.random.choice([*self.operations])
        user = self.random.choice(self.users)
        self.effects: list[Callable[[], None]] = []
        kept = self._run(lambda repository: self.operations[name](user, repository))
        if kept:
            for effect in self.effects:
                effect()
        self.done[name] += 1

    def _run(self, operation: Callable[[MemoryRepository], None]) -> bool:
        """Run an operation in one of the ways that a service has; tell whether it is kept."""
        way = self.random.choice(["alone", "inside", "block", "undone", "undone block"])
        connection = self.inside if way in ("inside", "undone") else self.alone
        block = connection.transaction() if "block" in way else nullcontext()
        kept = "undone" not in way
        try:
            with block:
                operation(MemoryRepository(connection))
                if way == "undone block":
                    raise psycopg.Rollback
        except AimemoryError as refusal:
            if isinstance(refusal, AccessDenied):
                raise Leak("a user was refused rows of their own") from refusal
            kept = False
        if connection is self.inside:
            (connection.commit if kept else connection.rollback)()
        (left,) = ask(self.alone, "select current_setting('aimemory.user_id', true)")
        if left:
            raise Leak(f"the setting {left!r} outlived its transaction")
        return kept

    def some_id(self, user: str) -> UUID:
        """Return the id of a memory: the user's own, another's, or nobody's."""
        whose = self.random.choice([user, user, self.random.choice(self.users)])
        return self.random.choice([*self.memories[whose], uuid4()])

    def mine(self, user: str, found: list[Any]) -> None:
        """Check that all memories found belong to the user."""
        foreign = [row for row in found if self.owner.get(row.memory_id) != user]
        if foreign:
            raise Leak(f"{user!r} was given {foreign}")

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=3)) + f" {self.random.randint(1, 30)}"

    def _own(self, user: str, memory_id: UUID | None, content: str) -> None:
        assert memory_id is not None
        if self.owner.setdefault(memory_id, user) != user:
            raise Leak(f"{user!r} wrote to a memory of {self.owner[memory_id]!r}")
        self.effects.append(lambda: self.memories[user].setdefault(memory_id, content) and None)

    def _change(self, user: str, target: UUID, work: Callable[[], bool]) -> bool:
        """Let a user change a memory, and check that another's is as before."""
        if self.owner.get(target) == user:
            return work()
        before = self._everywhere(target)
        try:
            changed = work()
        except NotFound:
            changed = False
        if changed or self._everywhere(target) != before:
            raise Leak(f"{user!r} changed {target} of {self.owner.get(target)!r}")
        return False

    def _everywhere(self, memory_id: UUID) -> list[Any]:
        query = "select to_jsonb(m) from aimemory.all_memories m where m.memory_id = %s"
        return ask(self.admin, query, memory_id)

    # --- the store -----------------------------------------------------------------------

    def do_store_add(self, user: str, _: MemoryRepository) -> None:
        content = self.text()
        result = self.store.add(user, content)
        self._own(user, result.memory_id, content)
        for effect in self.effects:  # The store has committed, whatever becomes of the rest.
            effect()

    def do_store_search(self, user: str, _: MemoryRepository) -> None:
        quiet = self.random.random() < 0.5
        self.mine(user, self.store.search(user, self.text(), touch=not quiet, log=not quiet))

    def do_store_get(self, user: str, _: MemoryRepository) -> None:
        target = self.some_id(user)
        try:
            self.mine(user, [self.store.get(user, target)])
        except NotFound:
            if target in self.memories[user]:
                raise Leak(f"{user!r} lost {target}") from None

    def do_store_list(self, user: str, _: MemoryRepository) -> None:
        listed = self.store.list(user, limit=1000, status="all").memories
        self.mine(user, listed)
        assert {memory.memory_id for memory in listed} == set(self.memories[user])

    # --- the repository ------------------------------------------------------------------

    def do_add(self, user: str, repository: MemoryRepository) -> None:
        content = self.text()
        slot = self.random.choice([None, None, "s", "t"])
        result = repository.add(user, content, slot=slot, entities=["miso/pet"])
        self._own(user, result.memory_id, content)

    def do_add_many(self, user: str, repository: MemoryRepository) -> None:
        contents = [self.text() for _ in range(3)]
        results = repository.add_many(user, [(content, {}) for content in contents])
        for content, result in zip(contents, results, strict=True):
            self._own(user, result.memory_id, content)

    def do_recall(self, user: str, repository: MemoryRepository) -> None:
        self.mine(user, repository.recall(user, self.text(), max_results=20))

    def do_get(self, user: str, repository: MemoryRepository) -> None:
        wanted = [self.some_id(user) for _ in range(3)]
        found = repository.get(user, wanted)
        self.mine(user, found)
        assert {m.memory_id for m in found} == set(wanted) & set(self.memories[user])

    def do_list(self, user: str, repository: MemoryRepository) -> None:
        self.mine(user, repository.list(user, status="all"))

    def do_similar_probe(self, user: str, repository: MemoryRepository) -> None:
        self.mine(user, repository.similar_to(user, self.some_id(user), min_similarity=-1))
        self.mine(user, repository.probe(user, self.text(), slot="s", min_similarity=-1))

    def do_history(self, user: str, repository: MemoryRepository) -> None:
        target = self.some_id(user)
        if repository.history(user, target) and self.owner.get(target) != user:
            raise Leak(f"{user!r} read the history of {target}")

    def do_update(self, user: str, repository: MemoryRepository) -> None:
        target, content = self.some_id(user), f"{self.text()} changed"

        def work() -> bool:
            repository.update(user, target, content=content)
            return True

        if self._change(user, target, work):
            self.effects.append(lambda: self.memories[user].update({target: content}))

    def do_delete(self, user: str, repository: MemoryRepository) -> None:
        target = self.some_id(user)
        if self._change(user, target, lambda: repository.delete(user, target)):
            self.effects.append(lambda: self.memories[user].pop(target) and None)

    def do_move(self, user: str, repository: MemoryRepository) -> None:
        target = self.some_id(user)
        for action in (repository.archive, repository.restore, repository.pin, repository.confirm):
            self._change(user, target, lambda action=action: action(user, target))  # type: ignore[misc]

    def do_touch(self, user: str, repository: MemoryRepository) -> None:
        target = self.some_id(user)
        self._change(user, target, lambda: repository.touch(user, [target]) > 0)

    def do_supersede(self, user: str, repository: MemoryRepository) -> None:
        older, newer = self.some_id(user), self.some_id(user)
        if older != newer and {self.owner.get(older), self.owner.get(newer)} != {user}:
            before = self._everywhere(older) + self._everywhere(newer)
            try:
                repository.supersede(user, older, newer)
            finally:
                now = self._everywhere(older) + self._everywhere(newer)
                foreign = {self.owner.get(older), self.owner.get(newer)} - {user, None}
                if foreign and now != before:
                    raise Leak(f"{user!r} superseded a memory of {foreign}")

    def do_talk(self, user: str, repository: MemoryRepository) -> None:
        said = SAID.format(user)
        if self.random.random() < 0.3:
            repository.record_turns(user, "s", [("user", said, _now(self.admin))])
        for turns in (repository.recent_turns(user, "s"), repository.pending_turns(user, "s")):
            if any(turn.content != said for turn in turns):
                raise Leak(f"{user!r} was given the words of another")
            repository.settle_turns(user, "s", [turn.turn_no for turn in turns[:1]])

    def do_review(self, user: str, repository: MemoryRepository) -> None:
        content = self.text()
        if self.random.random() < 0.5:
            made = repository.propose(
                user, content, memory_type="fact", importance=0.5, scope="user", slot=None,
                proposal={},
            )  # fmt: skip
            self.effects.append(lambda: self.candidates[user].add(made))
        for state in ("pending", "approved", "rejected"):
            for candidate in repository.candidates(user, state=state):
                if candidate.candidate_id in self._candidates_of_others(user):
                    raise Leak(f"{user!r} was given a candidate of another")
        target = self.random.choice([*self._candidates_of_others(user), uuid4()])
        if repository.decide(user, target, approved=False):
            raise Leak(f"{user!r} decided for another")

    def _candidates_of_others(self, user: str) -> set[UUID]:
        return {c for other, ids in self.candidates.items() if other != user for c in ids}

    def do_settings(self, user: str, repository: MemoryRepository) -> None:
        repository.set_user(user, learning=self.random.random() < 0.5)
        repository.set_alias(user, self.random.choice(WORDS), "miso/pet")
        repository.count_usage(user, calls=1, tokens=1)
        repository.add_veto(user, slot=f"slot of {user}"[:200])
        if user != self.users[0] and repository.is_vetoed(user, "x", f"slot of {self.users[0]}"):
            raise Leak(f"a veto of {self.users[0]!r} holds for {user!r}")

    # --- plain SQL -----------------------------------------------------------------------

    def do_sql_read(self, user: str, repository: MemoryRepository) -> None:
        connection = self._connection(repository)
        table = self.random.choice(self.tables)
        with connection.transaction():
            connection.execute(sql.SQL("set local aimemory.user_id = {}").format(sql.Literal(user)))
            with connection.cursor(row_factory=dict_row) as cursor:
                found = cursor.execute(
                    sql.SQL("select * from aimemory.{}").format(sql.Identifier(table))
                ).fetchall()
        if any(row["user_id"] != user for row in found):
            raise Leak(f"{user!r} read {table} of another")

    def do_sql_nobody(self, _: str, repository: MemoryRepository) -> None:
        table = self.random.choice(self.tables)
        if rows(self.alone, f"select 1 from aimemory.{table} limit 1"):
            raise Leak(f"nobody read {table}")

    def do_sql_write(self, user: str, repository: MemoryRepository) -> None:
        connection = self._connection(repository)
        other = self.random.choice([name for name in self.users if name != user])
        forged: list[tuple[str, list[Any]]] = [
            ("update aimemory.memories set content = 'x' where user_id = %s", [other]),
            ("update aimemory.archive set content = 'x' where user_id = %s", [other]),
            ("delete from aimemory.turns where user_id = %s", [other]),
            ("delete from aimemory.users where user_id = %s", [other]),
            ("update aimemory.entity_aliases set user_id = %s", [other]),
            ("insert into aimemory.memory_access (user_id, memory_id, last_access_at)"
             " values (%s, gen_random_uuid(), now())", [other]),
            ("select aimemory.add_memory(%s, 'forged')", [other]),
            ("select aimemory.recall(%s, 'tea coffee car')", [other]),
        ]  # fmt: skip
        statement, values = self.random.choice(forged)
        reached = 0
        try:
            with connection.transaction():
                connection.execute(
                    sql.SQL("set local aimemory.user_id = {}").format(sql.Literal(user))
                )
                reached = connection.execute(statement.encode(), values).rowcount
        except psycopg.errors.InsufficientPrivilege:
            pass
        if reached:
            raise Leak(f"as {user!r}: {statement} reached {reached} rows of {other!r}")

    def _connection(self, repository: MemoryRepository) -> psycopg.Connection:
        return cast(psycopg.Connection, repository._given)

    # --- at the end ----------------------------------------------------------------------

    def compare(self) -> int:
        """Hold every memory in the database against the list; return how many there are."""
        stored: dict[str, dict[UUID, str]] = defaultdict(dict)
        for row in rows(
            self.admin, "select user_id, memory_id, content from aimemory.all_memories"
        ):
            stored[row["user_id"]][row["memory_id"]] = row["content"]
        expected = {user: owned for user, owned in self.memories.items() if owned}
        assert dict(stored) == expected
        for row in rows(self.admin, "select user_id, content from aimemory.turns"):
            assert row["content"] == SAID.format(row["user_id"])
        for table in ("memory_access", "memory_terms"):
            for row in rows(
                self.admin, f"select distinct user_id, memory_id from aimemory.{table}"
            ):
                assert self.owner[row["memory_id"]] == row["user_id"], table
        return sum(map(len, expected.values()))


def _now(connection: psycopg.Connection) -> Any:
    (now,) = ask(connection, "select now()")
    return now
