"""fading_rules: differs as soon as any rule differs."""

from memories import ask

CALL = "select aimemory.fading_rules(0.98, 0.35, 0.8, null, 0.3)"


def test_it_is_the_same_for_the_same_rules(db):
    assert ask(db, CALL) == ask(db, CALL)


def test_every_rule_takes_part_in_it_and_null_is_not_zero(db):
    changed = [
        *("0.97, 0.35, 0.8, null, 0.3", "0.98, 0.3, 0.8, null, 0.3", "0.98, null, 0.8, null, 0.3"),
        *("0.98, 0.35, 0.9, null, 0.3", "0.98, 0.35, 0.8, 0, 0.3", "0.98, 0.35, 0.8, null, 0.31"),
        *("0.98, 0.35, 0.8, 0.3, null", "0.98, 0.35, 0.8, null, 0.30000000000000004"),
    ]
    texts = {ask(db, f"select aimemory.fading_rules({values})")[0] for values in changed}

    assert len(texts | {ask(db, CALL)[0]}) == 1 + len(changed)
