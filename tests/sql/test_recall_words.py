"""recall by words alone: every script, BM25 by hand, and no question that starves it."""

from math import log

import pytest

from memories import at_cosine, contents, recall, remember, rows, value

SENTENCE = "用户喜欢在周末去上海的咖啡馆看书"


@pytest.mark.parametrize(
    ("stored", "question"),
    [
        (SENTENCE, "上海咖啡馆"),
        (SENTENCE, "咖啡馆"),
        (SENTENCE, "周末 看书"),
        (SENTENCE, "你还记得我周末喜欢做什么吗？"),
        ("build fails with ERR-7719 on CI", "ERR-7719"),
        ("build fails with ERR-7719 on CI", "what does err 7719 mean"),
        ("每天用 cron 跑定时任务", "cron 定时"),
        (
            "Alice got a corgi from the shelter",
            "What kind of dog did Alice get last spring, a corgi?",
        ),
        ("ユーザーは東京タワーの近くに住んでいる", "東京タワー"),
        ("사용자는 서울에서 커피를 마신다", "서울 커피"),
        ("ผู้ใช้ชอบกาแฟ", "กาแฟ"),
        ("I code in C++ and C#", "c++"),
        ("Ｕｓｅｓ　Ｐｙｔｈｏｎ", "python"),
        ("the user's café is closed", "CAFE\u0301"),
        ("她的暗号是🐙", "🐙"),
        ("running shoes", "who runs?"),
    ],
)
def test_words_alone_find(db, stored, question):
    remember(db, stored)
    remember(db, "Something else entirely, 完全无关的另一句话")

    hits = recall(db, question)
    assert contents(hits)[:1] == [stored]
    assert hits[0]["routes"] == ["keyword"]
    assert (hits[0]["similarity"], hits[0]["vector_rank"], hits[0]["keyword_rank"]) == (
        None,
        None,
        1,
    )


def test_a_rare_word_is_found_although_its_vector_is_far_away(db):
    remember(db, "build fails with ERR-7719", vector=at_cosine(0))
    for number in range(20):
        remember(db, f"nice weather {number}", vector=at_cosine(0.4))

    found = contents(recall(db, "ERR-7719", vector=at_cosine(1)))
    assert found[0] == "build fails with ERR-7719"


def test_two_words_of_eight_are_enough(db):
    remember(db, "Alice adopted a dog")
    for number in range(30):
        remember(db, f"note {number} on databases")

    assert contents(recall(db, "What kind of dog did Alice get last spring?")) == [
        "Alice adopted a dog"
    ]


def test_one_common_word_of_many_is_not_enough(db):
    for number in range(30):
        remember(db, f"dog {number}")

    # ln(1 + 70.5 / 30.5) of 3 ln(202), the weight of three words that nobody has: 8 %.
    assert recall(db, "dog zebra giraffe lion tiger panther leopard cheetah") == []
    assert len(recall(db, "dog zebra giraffe", profile_name=lenient(db, 0.075))) == 5


def lenient(db, coverage):
    """A profile that lets a memory pass with this share of the words."""
    db.execute(
        "insert into aimemory.scoring_profiles (profile, min_coverage) values ('lenient', %s)",
        (coverage,),
    )
    return "lenient"


@pytest.mark.parametrize(
    "question",
    [
        "& | ! ( ) : * < > ' \\",
        "a & !b | (c:*) <-> 'd'",
        "'''",
        "\\",
        "%_%",
        "😀",
        "",
        " ",
        "的了吗",
        None,
    ],
)
def test_a_hostile_or_empty_question_is_no_error_and_finds_nothing(db, question):
    remember(db, "likes tea")

    assert recall(db, question) == []


def bm25(corpus, question):
    """Okapi BM25 as documented: k1 1.2, b 0.75, at least 100 memories, own formula.

    ``corpus`` maps a name to its list of words. The usual length is that of the
    memories found, counted once for every word they share with the question.
    """
    n = max(100, len(corpus))
    holders = {w: [c for c in corpus.values() if w in c] for w in set(question)}
    lengths = [len(c) for found in holders.values() for c in found]
    average = sum(lengths) / len(lengths)
    scores = {}
    for name, words in corpus.items():
        score = 0.0
        for word, found in holders.items():
            idf = log(1 + (n - len(found) + 0.5) / (len(found) + 0.5))
            tf = words.count(word)
            score += idf * tf * 2.2 / (tf + 1.2 * (1 - 0.75 + 0.75 * len(words) / average))
        scores[name] = score
    return scores


def test_the_keyword_part_is_bm25_divided_by_the_best(db):
    corpus = {
        "tea tea green cup": ["tea", "tea", "green", "cup"],
        "green apple": ["green", "appl"],
        "cup full black coffee": ["cup", "full", "black", "coffe"],
        "black tea morning evening night winter": [
            "black", "tea", "morn", "even", "night", "winter",
        ],
        "blue sky": ["blue", "sky"],
    }  # fmt: skip
    for text, words in corpus.items():
        assert value(db, "tokens", input=text) == words
        remember(db, text)
    expected = bm25(corpus, ["green", "tea", "cup", "absent"])
    best = max(expected.values())

    hits = recall(db, "green tea cup absent", at_least=0.0, max_results=10)
    assert {h["content"]: h["keyword"] for h in hits} == {
        text: pytest.approx(score / best, abs=1e-9) for text, score in expected.items() if score
    }
    by_rank = sorted(hits, key=lambda h: h["keyword_rank"])
    assert contents(by_rank) == sorted(
        (text for text in expected if expected[text]), key=lambda text: -expected[text]
    )


def test_matched_terms_are_shown_the_rarest_first(db):
    remember(db, "green tea cup")
    for number in range(4):
        remember(db, f"green thing {number}")

    (hit, *_) = recall(db, "a cup of green tea for the zebra")
    assert hit["matched_terms"] == ["cup", "tea", "green"]


def test_the_best_keyword_part_is_one_also_beside_names(db):
    # The name weighs more than the word does; both are parts of one BM25.
    remember(db, "He vomited", about=["miso/pet"])
    remember(db, "likes nice weather very much and talks about the weather every day of the year")

    hits = recall(db, "Miso, nice weather")
    assert {h["content"] for h in hits} >= {"He vomited"}
    assert max(h["keyword"] for h in hits) <= 1


def test_a_name_weighs_twice_as_much_as_a_word(db):
    remember(db, "tea", about=["miso"])
    remember(db, "miso")
    hits = sorted(recall(db, "miso"), key=lambda hit: hit["content"], reverse=True)

    # Both are as rare as the other, and each memory is one word long: 1 against 2.
    assert contents(hits) == ["tea", "miso"]
    assert [h["keyword"] for h in hits] == pytest.approx([1, 0.5], abs=1e-9)


def test_a_word_of_a_fifth_of_all_says_nothing_beside_a_rarer_one(db):
    for number in range(201):
        remember(db, f"tea {number}")
    long_enough = "tea 7 and other words of a long question nobody wrote down"

    assert [(h["content"], h["matched_terms"]) for h in recall(db, long_enough)] == [
        ("tea 7", ["7"])
    ]
    # In a question of few words each counts.
    assert recall(db, "tea 7")[0]["matched_terms"] == ["7", "tea"]


def test_a_word_of_fewer_counts_beside_a_rarer_one(db):
    for number in range(200):
        remember(db, f"tea {number}")
    hits = recall(db, "tea 7")
    assert (hits[0]["content"], hits[0]["matched_terms"]) == ("tea 7", ["7", "tea"])


def test_a_word_of_every_memory_still_finds_when_nothing_rarer_is_there(db):
    for number in range(300):
        remember(db, f"tea {number}")

    assert len(recall(db, "tea")) == 5


def test_a_common_word_alone_reaches_a_narrow_scope(db):
    """A filter never starves a route: what is in the scope is found beyond any cut."""
    for number in range(400):
        remember(db, f"tea {number}")
    remember(db, "tea in the project", in_scope="project:x")
    remember(db, "more tea in the project", in_scope="project:x")

    for _ in range(3):
        assert len(recall(db, "tea", in_scopes=["project:x"])) == 2


def test_a_question_of_two_thousand_words_stays_bounded(db):
    db.execute("set local statement_timeout = '20s'")
    for number in range(50):
        remember(db, f"word{number} tea")
    remember(db, "the answer is xylophone")
    question = " ".join(f"word{number}" for number in range(2000)) + " xylophone"

    assert "the answer is xylophone" in contents(recall(db, question, max_results=60))


def test_a_question_of_a_megabyte_is_answered(db):
    db.execute("set local statement_timeout = '30s'")
    remember(db, "the answer is xylophone")

    assert len(recall(db, "年糕今天吐了怎么办" * 37_000 + " xylophone")) == 1


def test_superseded_words_do_not_answer(db):
    remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")

    assert contents(recall(db, "lives Berlin Paris")) == ["lives in Paris"]
    assert rows(db, "select 1 from aimemory.memory_terms where term = 'berlin'")


def test_a_word_that_was_replaced_over_and_over_still_finds_what_holds_now(db):
    """More postings than active memories: the weight of a word stays above zero."""
    for number in range(250):
        remember(db, f"weighs {number} kilos", in_slot="weight")

    assert contents(recall(db, "weighs kilos")) == ["weighs 249 kilos"]
