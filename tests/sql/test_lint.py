"""The view lint: each rule finds what breaks it, and nothing in a sound database."""

from random import Random
from uuid import UUID, uuid4

import psycopg
import pytest

from memories import (
    DAY,
    MODEL,
    NOW,
    at_cosine,
    call,
    columns_of,
    know_model,
    remember,
    row,
    text_of,
    view,
)


def findings(db):
    return columns_of(view(db, "lint", "rule, memory_id, detail"), "rule", "memory_id", "detail")


def copy_to_archive(db, target):
    db.execute(
        "insert into aimemory.archive select m.*, now(), 'manual', m.importance"
        "  from aimemory.memories m where m.memory_id = %s",
        [target],
    )


def test_a_memory_in_two_places_is_found(db):
    tea = remember(db, "likes tea")
    copy_to_archive(db, tea)
    archived_at = row(db, "archive", tea)["archived_at"]

    found = view(db, "lint", rule="a memory is live or archived, not both")
    assert columns_of(found, "user_id", "memory_id") == [("ann", tea)]
    assert str(archived_at.year) in found[0]["detail"]


def test_a_live_memory_without_a_row_of_access_is_found(db):
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk")
    call(db, "archive_memory", for_user="ann", target=milk)
    db.execute("delete from aimemory.memory_access")

    assert findings(db) == [("a live memory has a row in memory_access", tea, None)]


def test_a_due_date_that_is_missing_or_should_not_be_there_is_found(db):
    tea = remember(db, "likes tea")
    rome = remember(db, "was born in Rome", with_importance=0.9)
    call(db, "refresh_due_dates", as_of=NOW)
    assert findings(db) == []
    db.execute(
        "update aimemory.memory_access set due_at = case when due_at is null then %s end", [NOW]
    )

    rule = "a memory that ends has a due date, and no other"
    assert sorted(findings(db), key=str) == sorted(
        [(rule, tea, "faded"), (rule, rome, None)], key=str
    )
    # After a change of the rules it is upkeep that is behind, which is no error.
    db.execute("update aimemory.memory_types set archive_below = 0.31")
    assert findings(db) == []


def test_what_an_erased_memory_left_behind_is_found(db):
    tea = remember(db, "likes tea", vector=at_cosine(1))
    db.execute("delete from aimemory.memories")

    assert findings(db) == [
        ("what belongs to a memory goes with it", tea, part)
        for part in ("memory_access", "memory_revisions", "memory_terms", "memory_vectors")
    ]


def test_what_another_user_has_is_not_taken_for_ones_own(db):
    tea = remember(db, "likes tea")
    db.execute("update aimemory.memory_access set user_id = 'bob'")

    assert findings(db) == [
        ("a live memory has a row in memory_access", tea, None),
        ("what belongs to a memory goes with it", tea, "memory_access"),
    ]


COLD = "vectors and words are cold when the memory is archived, and only then"


def test_cold_parts_of_a_live_memory_are_found(db):
    tea = remember(db, "likes tea", vector=at_cosine(1))
    db.execute("update aimemory.memory_vectors set cold = true")
    db.execute("update aimemory.memory_terms set cold = true where term = 'tea'")

    assert findings(db) == [
        (COLD, tea, "memory_terms is cold"),
        (COLD, tea, "memory_vectors is cold"),
    ]


def test_warm_parts_of_an_archived_memory_are_found(db):
    tea = remember(db, "likes tea", vector=at_cosine(1))
    call(db, "archive_memory", for_user="ann", target=tea)
    db.execute("update aimemory.memory_vectors set cold = false")
    db.execute("update aimemory.memory_terms set cold = false")

    assert findings(db) == [
        (COLD, tea, "memory_terms is not cold"),
        (COLD, tea, "memory_vectors is not cold"),
    ]


def test_a_memory_that_no_word_finds_is_found(db):
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk")
    remember(db, "…")
    call(db, "archive_memory", for_user="ann", target=milk)
    db.execute("delete from aimemory.memory_terms")

    assert sorted(findings(db), key=lambda finding: finding[1] != tea) == [
        ("a memory with keywords has its words in memory_terms", memory, None)
        for memory in (tea, milk)
    ]


def superseded(db, older, newer):
    db.execute(
        "update aimemory.memories set status = 'superseded', superseded_by = %s,"
        " superseded_at = %s where memory_id = %s",
        [newer, NOW, older],
    )


def test_a_replacement_that_does_not_exist_is_found(db):
    tea, nowhere = remember(db, "likes tea"), uuid4()
    superseded(db, tea, nowhere)

    assert findings(db) == [("a replacement exists", tea, f"superseded by {nowhere}")]


def test_a_replacement_that_somebody_else_has_does_not_count(db):
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk", "bob")
    superseded(db, tea, milk)

    assert findings(db) == [("a replacement exists", tea, f"superseded by {milk}")]


def test_a_replacement_that_was_erased_is_no_violation(db):
    remember(db, "lives in Berlin", in_slot="city")
    paris = remember(db, "lives in Paris", in_slot="city")
    call(db, "forget", for_user="ann", wanted=[paris])

    assert findings(db) == []


def test_a_circle_is_found_at_each_of_its_memories_and_not_before_it(db):
    tea, milk, wine, water = (
        remember(db, f"likes {what}") for what in ("tea", "milk", "wine", "water")
    )
    for older, newer in ((water, tea), (tea, milk), (milk, wine), (wine, tea)):
        superseded(db, older, newer)

    assert {(rule, memory) for rule, memory, _ in findings(db)} == {
        ("replacements form no circle", memory) for memory in (tea, milk, wine)
    }


def test_a_vector_of_another_size_is_found(db):
    tea = remember(db, "likes tea", vector=at_cosine(1))
    db.execute("update aimemory.memory_vectors set embedding = '[1,0]'")

    assert findings(db) == [
        ("a vector has the dimensions of its model", tea, f"{MODEL}: 2 instead of 3")
    ]


@pytest.mark.parametrize("archived", [False, True])
def test_a_text_that_was_changed_without_its_hash_is_found(db, archived):
    tea = remember(db, "likes tea")
    its_hash = row(db, "memories", tea)["content_hash"]
    if archived:
        call(db, "archive_memory", for_user="ann", target=tea)
    table = "archive" if archived else "memories"
    db.execute(f"update aimemory.{table} set content = 'likes milk'".encode())

    assert findings(db) == [("content_hash is that of the content", tea, its_hash)]


def test_a_name_in_another_form_is_found(db):
    cat = remember(db, "has a cat", about=["年糕/pet", "Node.js"])
    db.execute("update aimemory.memories set entities = entities || '{Tom/Pet}'")

    assert findings(db) == [("entities are in canonical form", cat, "Tom/Pet")]


class Session:
    """Somebody who calls every function that writes memories, at random."""

    def __init__(self, db: psycopg.Connection, seed: int) -> None:
        self.db = db
        self.chance = Random(seed)
        self.known: list[UUID] = []
        self.now = NOW

    def step(self) -> None:
        self.now += self.chance.random() * 3 * DAY
        deeds = [self.add] * 5 + [self.correct, self.merge, self.supersede, self.expire]
        deeds += [self.archive, self.restore, self.touch, self.confirm, self.pin, self.delete]
        try:
            with self.db.transaction():
                self.chance.choice(deeds)()
        except psycopg.Error as error:
            if error.sqlstate not in ("MM001", "MM002"):
                raise

    def text(self) -> str:
        words = ["年糕", "tea", "Berlin", "likes", "喜欢", "the", "…", "Node.js", "猫"]
        return " ".join(self.chance.choices(words, k=self.chance.randint(1, 4)))

    def extras(self) -> dict[str, object]:
        if self.chance.random() < 0.5:
            return {}
        return {"vectors": [text_of(at_cosine(0.5))], "vector_model": MODEL}

    def one(self) -> dict[str, object]:
        target = self.chance.choice(self.known) if self.known else uuid4()
        return {"for_user": "ann", "target": target, "as_of": self.now}

    def add(self) -> None:
        self.known.append(
            remember(
                self.db,
                self.text(),
                at=self.now,
                as_type=self.chance.choice(["fact", "event", "state"]),
                in_slot=self.chance.choice([None, None, "city", "cat"]),
                about=self.chance.choice([[], ["年糕/pet"], ["Ann Lee", "TOM/Dog"]]),
                is_pinned=self.chance.random() < 0.1,
                **self.extras(),
            )
        )

    def correct(self) -> None:
        call(self.db, "update_memory", **self.one(), new_content=self.text(), **self.extras())

    def merge(self) -> None:
        call(self.db, "merge_memory", **self.one(), merged_text=self.text(), about=["TOM/Dog"])

    def supersede(self) -> None:
        one = self.one()
        older, newer = one.pop("target"), self.one()["target"]
        call(self.db, "supersede_memory", older=older, newer=newer, **one)

    def expire(self) -> None:
        call(self.db, "archive_due", max_rows=3, as_of=self.now)

    def archive(self) -> None:
        reason = self.chance.choice(["manual", "faded"])
        call(self.db, "archive_memory", because=reason, **self.one())

    def restore(self) -> None:
        call(self.db, "restore_memory", **self.one())

    def touch(self) -> None:
        one = self.one()
        call(self.db, "touch_memories", targets=[one.pop("target")], **one)

    def confirm(self) -> None:
        call(self.db, "confirm_memory", **self.one())

    def pin(self) -> None:
        call(self.db, "pin_memory", is_pinned=self.chance.random() < 0.5, **self.one())

    def delete(self) -> None:
        one = self.one()
        call(self.db, "forget", for_user="ann", wanted=[one["target"]])
        self.known = [memory for memory in self.known if memory != one["target"]]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_database_after_a_busy_session_is_clean(db, seed):
    know_model(db, MODEL, 3)
    session = Session(db, seed)
    for _ in range(200):
        session.step()

    states = {(m["status"], m["archived_at"] is not None) for m in view(db, "all_memories")}
    assert len(states) == 4, "the session has left out a state"
    assert view(db, "lint") == []
