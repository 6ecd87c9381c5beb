"""set_alias: another name for an entity, in the form in which names are compared."""

import pytest

from memories import call, refused, rows


def alias(db, other_name, of_entity, user="ann"):
    call(db, "set_alias", for_user=user, other_name=other_name, of_entity=of_entity)


def aliases(db, user="ann"):
    return {
        r["alias"]: (r["entity_name"], r["entity_kind"])
        for r in rows(db, "select * from aimemory.entity_aliases where user_id = %s", user)
    }


def test_both_names_are_stored_as_entities_are(db):
    alias(db, "我爸", "父亲/Person")
    alias(db, "方案B", "Node.js")
    alias(db, "Py/snake", "Ｐｙｔｈｏｎ/language")

    assert aliases(db) == {
        "我爸": ("父亲", "person"),
        "方案 b": ("node js", None),
        "py": ("python", "language"),
    }


def test_a_name_set_again_means_the_new_entity(db):
    alias(db, "老王", "王力/person")
    alias(db, "老王", "王强")

    assert aliases(db) == {"老王": ("王强", None)}


def test_aliases_belong_to_one_user(db):
    alias(db, "我爸", "父亲")

    assert aliases(db, "bob") == {}


@pytest.mark.parametrize(("other_name", "of_entity"), [("", "x"), ("x", ""), ("x", "/kind")])
def test_nothing_is_no_name(db, other_name, of_entity):
    with refused(db, "23514"):
        alias(db, other_name, of_entity)
