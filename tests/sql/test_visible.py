"""visible: live at a time, and let through by every filter."""

import pytest

from memories import DAY, NOW, value

MEMORY = {
    "its_scope": "user",
    "its_type": "fact",
    "its_tags": ["work", "home"],
    "its_metadata": {"city": "Berlin", "n": 5},
    "its_creation": NOW,
    "its_succession": None,
    "its_beginning": None,
    "its_end": None,
}
ASKED = {"in_scopes": None, "of_types": None, "with_tags": None, "metadata_filter": None}


def visible(db, at=NOW, **changed):
    return value(db, "visible", **(MEMORY | ASKED | {"as_of": at} | changed))


def test_a_memory_is_visible_from_its_creation_on(db):
    assert visible(db)
    assert visible(db, NOW + 9999 * DAY)
    assert not visible(db, NOW - DAY / 86_400_000_000)


def test_a_memory_is_visible_until_the_moment_it_is_superseded(db):
    assert visible(db, NOW + DAY, its_succession=NOW + 2 * DAY)
    assert not visible(db, NOW + 2 * DAY, its_succession=NOW + 2 * DAY)


def test_validity_includes_its_beginning_and_excludes_its_end(db):
    window = {"its_beginning": NOW + DAY, "its_end": NOW + 3 * DAY}

    seen = [visible(db, NOW + days * DAY, **window) for days in (0, 1, 2, 3, 4)]

    assert seen == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"in_scopes": ["project:x", "user"]}, True),
        ({"in_scopes": ["project:x"]}, False),
        ({"in_scopes": ["use", "user%", "u_er", "USER"]}, False),
        ({"of_types": ["fact"]}, True),
        ({"of_types": ["event", "state"]}, False),
        ({"with_tags": ["home"]}, True),
        ({"with_tags": ["home", "work"]}, True),
        ({"with_tags": ["home", "garden"]}, False),
        ({"metadata_filter": '$.city == "Berlin"'}, True),
        ({"metadata_filter": '$.city == "Paris"'}, False),
        ({"metadata_filter": "$.n > 4 && $.n < 6"}, True),
        # A value of another type, or none, is no match and no error.
        ({"metadata_filter": "$.city > 4"}, False),
        ({"metadata_filter": "$.missing > 4"}, False),
        ({"metadata_filter": "strict $.missing > 4"}, False),
        # A path that is no predicate lets nothing through.
        ({"metadata_filter": "$.city"}, False),
    ],
)
def test_a_filter_lets_through_what_matches(db, filters, expected):
    assert visible(db, **filters) is expected
