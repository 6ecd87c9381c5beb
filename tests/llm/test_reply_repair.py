"""Replies of models that were asked for JSON."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aimemory.llm import NotJson, read_json
from aimemory.llm.repair import MAX_CHARACTERS

CAT = {"content": "The cat is old", "evidence": "my cat is old"}
DOG = {"content": "狗叫旺财", "evidence": "我的狗叫旺财"}
JSON = json.dumps([CAT, DOG], ensure_ascii=False)


def test_plain_json_is_not_called_repaired():
    reading = read_json(f"  {JSON}\n")

    assert reading.value == [CAT, DOG]
    assert not reading.repaired
    assert not reading.truncated


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(f"```json\n{JSON}\n```", id="in a code fence"),
        pytest.param(f"```json\n{JSON}", id="in a fence that is never closed"),
        pytest.param(f"Sure! Here it is:\n```\n{JSON}\n```\nAnything else?", id="fence and prose"),
        pytest.param(f"I found {{two}} things [1]: {JSON} Hope this helps.", id="prose around it"),
        pytest.param(f'<think>[{{"content": "a"}}]?</think>\n{JSON}', id="after reasoning"),
        pytest.param(f"\ufeff{JSON}", id="after a byte order mark"),
        pytest.param(JSON.replace("}", ",}").replace("]", ",]"), id="trailing commas"),
        pytest.param(JSON.replace("},", "},,"), id="a comma too many"),
        pytest.param(JSON.replace("},", "}\n"), id="no comma between objects"),
        pytest.param(JSON.replace('", "', '"\n"'), id="no comma between members"),
        pytest.param(JSON.replace('"', "'"), id="single quotes"),
        pytest.param(JSON.replace('"content"', "content"), id="names without quotes"),
        pytest.param(JSON.replace("},", "}, // the cat\n"), id="a comment"),
        pytest.param(f"{json.dumps(CAT)}\n{json.dumps(DOG)}", id="one object a line"),
        pytest.param(
            '[{“content”：“The cat is old”，“evidence”：“my cat is old”}，'
            '{“content”：“狗叫旺财”，“evidence”：“我的狗叫旺财”}]',
            id="Chinese punctuation",
        ),
    ],
)  # fmt: skip
def test_two_items_are_read_from(reply):
    reading = read_json(reply)

    assert reading.value == [CAT, DOG]
    assert reading.repaired
    assert not reading.truncated


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"line\nbreak", "line\nbreak"),
        ("line\nbreak", "line\nbreak"),
        ("tab\tstop", "tab\tstop"),
        ('他说"好的"，然后走了', '他说"好的"，然后走了'),
        ('he said "yes", then left', 'he said "yes", then left'),
        ("the user's cat", "the user's cat"),
        (r"it\'s", "it's"),
        (r"\u5e74\u7cd5", "年糕"),
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d alone", "\ufffd alone"),
        (r"C:\users\dana", r"C:\users\dana"),
        (r"\u59 cut, \uZZZZ", r"\u59 cut, \uZZZZ"),
        (r"\d+ digits", r"\d+ digits"),
    ],
)
def test_a_text_with_wrong_escapes_is_read_as_it_was_meant(written, meant):
    reading = read_json(f'[{{"content": "{written}", "evidence": "x",}}]')

    assert reading.value == [{"content": meant, "evidence": "x"}]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("null", None),
        ("```json\nnull\n```", None),
        ("[]", []),
        ("Nothing to remember: []", []),
        ('{"memories": []}', {"memories": []}),
        ("[{'a': None, 'b': True, 'c': -1.5e3}]", [{"a": None, "b": True, "c": -1500.0}]),
        ('{"a": NaN}', {"a": None}),
        ('{"a": 1}', {"a": 1}),
    ],
)
def test_other_values_are_read_too(reply, value):
    assert read_json(reply).value == value


def test_of_a_reply_that_was_cut_only_complete_items_are_kept():
    for end in range(JSON.index("}") + 1, len(JSON) - 1):
        reading = read_json(JSON[:end])

        assert reading.truncated
        assert reading.value in ([CAT], [CAT, DOG])
        assert (reading.value == [CAT, DOG]) == (end >= JSON.rindex("}") + 1)


def test_a_cut_inside_the_first_item_leaves_nothing():
    reading = read_json('{"memories": [{"content": "The cat is old", "evidence": "my c')

    assert reading.truncated
    assert reading.value == {"memories": []}


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("```json\n```", "no JSON"),
        ("There is nothing to remember.", "no JSON"),
        (f"{JSON} or rather [{json.dumps(CAT)}]", "more than one"),
        ('[{"content": The cat is old}]', "no quotes"),
        ("[{content 5}]", "no value|no JSON"),
        ('[{"content": 5, [1]}]', "no name"),
        ('[{"content": "a", "evidence": "b},{"content": "c", "evidence": "d"}]', "closing quote"),
        ('[{"content": "a", "content": "c",}]', "two members"),
        ('{"a":' * 100 + "1", "too deeply"),
        (JSON + " " * MAX_CHARACTERS, "characters"),
    ],
)
def test_what_could_mean_several_things_is_refused(reply, problem):
    with pytest.raises(NotJson, match=problem):
        read_json(reply)


def test_the_reason_for_a_refusal_quotes_nothing():
    with pytest.raises(NotJson) as caught:
        read_json('[{"content": Geheimnis}]')
    assert "Geheimnis" not in str(caught.value)


@pytest.mark.parametrize(
    "pattern",
    ['{"', '"', "[", '[{"a":"b"c"d', "{'a':'b' 'c' ", '","', "\\", '" ', " ", "[]", "“", "<p>"],
)
@pytest.mark.parametrize("start", ["", '[{"a":"', '{"a": '])
def test_a_hostile_reply_is_read_or_refused_in_bounded_time(start, pattern):
    reply = (start + pattern * MAX_CHARACTERS)[: MAX_CHARACTERS - 1] + "x"
    began = time.monotonic()
    with suppress(NotJson):
        read_json(reply)
    assert time.monotonic() - began < 2


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3), min_size=1, max_size=3))
def test_valid_json_is_never_reinterpreted(value):
    assert read_json(f"Here: {json.dumps(value)} Done.").value == value


@settings(deadline=None)
@given(st.text(alphabet="\"'{}[],:\\un/ a“”\n0", max_size=60))
def test_no_reply_raises_anything_else(reply):
    with suppress(NotJson):
        read_json(reply)
