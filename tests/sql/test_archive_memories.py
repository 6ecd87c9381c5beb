"""archive_memories: many at once, each with its reason and its moment."""

from memories import DAY, NOW, ask, at_cosine, call, count, remember, row, rows, value


def archive(db, targets, reasons, moments, user="ann"):
    return value(db, "archive_memories", for_user=user, targets=targets, reasons=reasons,
                 moments=moments, changed_by="upkeep")  # fmt: skip


def test_each_goes_with_its_own_reason_and_moment(db):
    first = remember(db, "ate an apple", about=["apple"], vector=at_cosine(1))
    second = remember(db, "ate a pear", vector=at_cosine(1))
    stays = remember(db, "ate a plum", vector=at_cosine(1))

    moved = archive(db, [second, first], ["ttl", "faded"], [NOW + DAY, NOW + 2 * DAY])

    assert moved == 2
    assert [(row(db, "archive", m)["archive_reason"], row(db, "archive", m)["archived_at"])
            for m in (first, second)] == [("faded", NOW + 2 * DAY), ("ttl", NOW + DAY)]  # fmt: skip
    assert row(db, "archive", first)["archived_importance"] == 0.6 * 0.98**2
    assert ask(db, "select memory_id from aimemory.memories") == [stays]
    cold = "select memory_id from aimemory.{} where {} group by memory_id order by memory_id"
    assert ask(db, cold.format("memory_terms", "cold")) == sorted([first, second])
    assert ask(db, cold.format("memory_vectors", "cold")) == sorted([first, second])
    assert ask(db, cold.format("memory_terms", "not cold")) == [stays]
    assert {m: row(db, "memory_access", m)["due_at"] is None for m in (first, second, stays)} == {
        first: True, second: True, stays: False}  # fmt: skip
    last = call(db, "memory_history", for_user="ann", target=first)[-1]
    assert (last["revision"], last["action"], last["reason"], last["actor"]) == (
        2, "archived", "faded", "upkeep")  # fmt: skip
    assert last["changed_at"] == NOW + 2 * DAY


def test_no_word_of_a_cold_memory_is_left_among_the_live_ones(db):
    memory = remember(db, "我家猫叫年糕，likes tea and tea", about=["年糕/pet"])
    before = rows(db, "select term, frequency, words from aimemory.memory_terms order by term")

    archive(db, [memory], ["ttl"], [NOW])

    query = "select term, frequency, words from aimemory.memory_terms where cold order by term"
    assert rows(db, query) == before
    assert count(db, "memory_terms") == len(before)


def test_what_is_archived_already_or_belongs_to_another_is_not_moved_again(db):
    old = remember(db, "ate an apple")
    other = remember(db, "ate an apple", "bob")
    archive(db, [old], ["ttl"], [NOW])

    assert archive(db, [old, other], ["faded", "faded"], [NOW + DAY, NOW + DAY]) == 0
    assert row(db, "archive", old)["archive_reason"] == "ttl"
    assert len(call(db, "memory_history", for_user="ann", target=old)) == 2
    assert count(db, "memories", "bob") == 1


def test_nothing_to_move_is_nothing_moved(db):
    assert archive(db, [], [], []) == 0
    assert archive(db, None, None, None) == 0
