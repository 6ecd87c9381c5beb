from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aimemory.errors import InvalidInput
from aimemory.writing.cleaning import clean, read_messages
from aimemory.writing.vocabulary import Vocabulary

MEGABYTE = 1_000_000
NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("<private>我的身份证号是330106199001011234</private>我最近在准备考研", "我最近在准备考研"),
        ("before <PRIVATE>inside</Private> after", "before  after"),
        ("a<private>b<private>c</private>d</private>e", "ae"),
        ("I like tea <private>and nobody may know", "I like tea"),
        ("the second half</private> I like tea", "I like tea"),
        ("我喜欢茶＜private＞秘密＜/private＞", "我喜欢茶"),
        ("I like tea < private >secret</ private >", "I like tea"),
        ("I like tea &lt;private&gt;secret&lt;/private&gt;", "I like tea"),
        ("<private></private>", ""),
    ],
)
def test_nothing_private_is_left_however_the_tag_is_written(said: str, kept: str) -> None:
    cleaned = clean(said)

    assert cleaned.text == kept
    assert cleaned.removed == ("private",)


@pytest.mark.parametrize(
    "said",
    [
        "<memory>用户的猫叫年糕</memory>年糕今天吐了",
        "<system-reminder>用户的猫叫年糕</system-reminder>年糕今天吐了",
        "年糕今天吐了<MEMORY>\n用户的猫叫年糕",
        "历史记忆（仅供参考，可能已过时，如果与当前问题无关，请忽略它们）\n"
        "- [事实·2026-01-05] 用户的猫叫年糕（此前：用户的猫叫汤圆，已被覆盖）\n年糕今天吐了",
    ],
)
def test_memories_that_we_injected_ourselves_do_not_come_back_as_what_the_user_said(
    said: str,
) -> None:
    cleaned = clean(said)

    assert cleaned.text == "年糕今天吐了"
    assert cleaned.removed == ("injected_block",)


def test_an_english_memory_block_without_tags_goes_as_well() -> None:
    said = (
        "Background from earlier conversations (may be out of date):\n"
        "- [fact, 2026-01-05] The user's cat is called Momo\n"
        "- [preference] The user likes tea\n\n"
        "Momo was sick today."
    )

    assert clean(said).text == "Momo was sick today."


def test_an_open_memory_tag_takes_its_paragraph_and_not_the_rest_of_the_message() -> None:
    said = "The <memory> element of libvirt is 4096.\n\nI moved to Lisbon."

    assert clean(said).text.endswith("I moved to Lisbon.")


SECRETS = {
    "sk-live-AAAABBBBCCCC1111": "email my API key {} to evil@example.com",
    "sk-proj-a1B2c3D4e5F6g7H8i9J0": "我的密钥是{}，别告诉别人",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": "token: {}",
    "AKIAIOSFODNN7EXAMPLE": "AWS用的是{}",
    "xoxb-1234567890-abcdefghij": "Slack bot {} is ours",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P": "jwt {}",
    "hunter2": "my password is {}.",
    "swordfish": 'the password for the wifi is "{}"',
    "Abc12345!": "我的邮箱密码是{}，记一下",
    "s3cr3tpass": "postgres://admin:{}@db.example.com/app",
    "a8f5f167f44f4964": "https://example.com/?access_token={}&page=2",
    "11010519491231002X": "我身份证{}。",
    "330106199001011234": "我的身份证号是{}",
    "4111 1111 1111 1111": "刷这张卡：{}",
    "6222 0212 3456 7890 128": "我的银行卡号是{}",
    "E12345678": "护照号：{}",
}


@pytest.mark.parametrize(("secret", "sentence"), SECRETS.items(), ids=SECRETS.values())
def test_a_secret_is_replaced_and_the_sentence_stays(secret: str, sentence: str) -> None:
    cleaned = clean(sentence.format(secret))

    assert secret not in cleaned.text
    assert cleaned.text == sentence.format("[secret]")
    assert cleaned.removed == ("secret",)


def test_a_private_key_goes_even_when_its_end_is_missing() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc"

    assert clean(f"here:\n{key}").text == "here:\n[secret]"
    assert clean(f"{key}\n-----END RSA PRIVATE KEY-----\ndone").text == "[secret]\ndone"


@pytest.mark.parametrize(
    "said",
    [
        "我表妹的手机号是18512693567",
        "我的邮箱是maya@example.com",
        "my password is not working",
        "my password is too weak, what is a good one?",
        "The key is to practise every day",
        "密码是多少来着",
        "订单号 202601050001",
        "We have 1234567890123 records",
        "basic responsibilities of a token ring",
        "scikit-learn is sk-learn for short",
    ],
)
def test_what_only_looks_like_a_secret_stays(said: str) -> None:
    assert clean(said).text == said
    assert clean(said).removed == ()


words = st.text(
    st.characters(categories=("L", "N", "P", "Zs", "Cc"), exclude_characters="\x00"), max_size=40
)


@given(
    before=words,
    after=words,
    secret=st.sampled_from(["sk-live-AAAABBBBCCCC1111", "ghp_" + "a1B2c3D4e5" * 3]),
)
def test_no_text_around_a_key_lets_it_through(before: str, after: str, secret: str) -> None:
    assert secret not in clean(f"{before} {secret} {after}").text


@given(before=words, inside=words, after=words)
def test_no_text_around_a_private_part_lets_it_through(
    before: str, inside: str, after: str
) -> None:
    marked = f"{before}<private>QUEEN {inside} BEE</private>{after}"

    cleaned = clean(marked).text

    assert "QUEEN" not in cleaned
    assert "BEE" not in cleaned or "BEE" in before + after


@given(words)
def test_cleaning_twice_changes_nothing_more(said: str) -> None:
    once = clean(said).text

    assert clean(once).text == once


@pytest.mark.parametrize(
    "hostile",
    [
        "<private>" * (MEGABYTE // 9),
        "<" * MEGABYTE,
        "sk-" * (MEGABYTE // 3),
        "password for " * (MEGABYTE // 13),
        "&lt;private " * (MEGABYTE // 12),
    ],
    ids=lambda text: text[:10],
)
def test_a_megabyte_of_ill_will_is_cleaned_in_bounded_time(hostile: str) -> None:
    start = time.process_time()
    clean(hostile)

    assert time.process_time() - start < 10


def test_only_what_user_and_assistant_wrote_becomes_turns() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You know: the user's name is John Doe."},
        {"role": "developer", "content": "Always say John."},
        {"role": "user", "name": "maya", "content": "我家的猫叫年糕"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "cats: 3"},
        {"role": "assistant", "content": "年糕是只猫吧？"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "看这张照片"},
                {"type": "image_url", "image_url": {"url": "https://example.com/1.png"}},
                {"type": "input_text", "text": "他两岁了"},
            ],
        },
        {"role": "user", "content": "<private>nothing else</private>"},
    ]

    turns = read_messages(messages, NOW)

    assert [(turn.role, turn.content) for turn in turns] == [
        ("user", "我家的猫叫年糕"),
        ("assistant", "年糕是只猫吧？"),
        ("user", "看这张照片\n他两岁了"),
    ]
    assert {turn.said_at for turn in turns} == {NOW}


def test_one_string_is_said_by_the_user() -> None:
    assert [turn.role for turn in read_messages("我喜欢茶", NOW)] == ["user"]


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        read_messages("我喜欢茶", datetime(2026, 1, 5))


def test_a_nul_byte_and_half_a_character_do_not_lose_the_message(vocabulary: Vocabulary) -> None:
    assert clean("我喜\x00欢茶\ud83d", vocabulary).text == "我喜欢茶?"
