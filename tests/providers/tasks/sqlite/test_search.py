"""Tasks and habits are found by words in their index as the rule says."""

import json
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.providers.tasks.sqlite import search
from sayso.providers.tasks.sqlite.database import empty_copy, lay_out
from tests.providers.tasks.rule import by_the_rule

CASES = json.loads((Path(__file__).parent.parent / "matching.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from(
    [
        *("wine", "Wine", "wines", "win", "buy", "task", "the", "for", "dinner", "to-do", "7", "!", "“x”", "a_b"),
        *("вино", "ВИНО", "винограда", "купить", "Ünal", "é", "e\u0301", "ß", "SS", "İ", "ﬁn"),
        *("買", "葡萄酒", "買葡萄酒", "酒", "ワイン", "🍷", "👩‍🚀", '"', "*", "AND", "NEAR(", "\x00", "%"),
    ]
)
TEXTS = st.lists(WORDS, max_size=5).flatmap(lambda words: st.sampled_from((" ", "")).map(lambda gap: gap.join(words)))
ANY = TEXTS | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@contextmanager
def listed(texts: Sequence[str], which: str = search.ACTIVE) -> Generator[sqlite3.Connection]:
    """Give lists with these texts, whose ids are their numbers."""
    with closing(empty_copy()) as connection:
        lay_out(connection)
        for number, text in enumerate(texts):
            connection.execute("INSERT INTO tasks VALUES (?, ?, NULL, ?, NULL, '')", (str(number), text, number))
            search.put(connection, which, str(number), text)
        yield connection


def found(query: str, texts: Sequence[str]) -> list[str]:
    with listed(texts) as connection:
        return [texts[int(each)] for each in sorted(search.matching(connection, "a", query, 1000), key=int)]


@pytest.mark.req("S2-22", "S2-23", "S2-24", "T-58")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['query']!r} in {case['items']}")
def test_each_query_finds_what_the_rule_says(case: dict[str, list[str] | str]):
    assert found(str(case["query"]), list(case["items"])) == case["found"]


@pytest.mark.req("T-58")
@given(ANY, st.lists(ANY, max_size=8))
@example("wine task", ["Buy wine for dinner"])
@example("please delete the wine now", ["wine", "the wine", "delete", "lease"])
@example("a", ["a", "b a", "ab"])
def test_it_is_the_rule_for_any_texts(query: str, items: list[str]):
    assert sorted(found(query, items)) == sorted(by_the_rule(query, items))


@given(st.lists(ANY, min_size=1, max_size=6), st.data())
def test_a_text_that_was_changed_or_dropped_is_not_found_any_more(items: list[str], data: st.DataObject):
    changed = data.draw(st.lists(ANY | st.none(), min_size=len(items), max_size=len(items)))
    query = data.draw(ANY | st.sampled_from(items))

    with listed(items) as connection:
        for number, text in enumerate(changed):
            if text is None:
                search.drop(connection, str(number))
            else:
                search.put(connection, search.ACTIVE, str(number), text)
        hits = search.matching(connection, search.ACTIVE, query, 1000)

    left = [text for text in changed if text is not None]
    assert sorted(str(changed[int(each)]) for each in hits) == sorted(by_the_rule(query, left))


def test_no_more_are_returned_than_are_asked_for():
    with listed([f"wine {number}" for number in range(50)]) as connection:
        for query in ("wine", "wi", "e", "task wine 1 2", "wine task"):
            assert len(search.matching(connection, search.ACTIVE, query, 7)) <= 7
        assert len(search.matching(connection, search.ACTIVE, "wine", 7)) == 7


@pytest.mark.req("S2-25")
def test_lists_are_searched_apart():
    with listed(["wine"], search.COMPLETED) as connection:
        assert search.matching(connection, search.ACTIVE, "wine", 9) == []
        assert search.matching(connection, search.HABITS, "wine", 9) == []
        assert search.matching(connection, search.COMPLETED, "wine", 9) == ["0"]


@pytest.mark.req("S2-44")
@pytest.mark.parametrize(
    ("query", "close"),
    [
        ("Buy breda", "Buy bread"),
        ("bread buy", "Buy bread"),
        ("Call Anna", "Call Ana"),
        ("Позвонить Ане", "Позвонить Ани"),
        ("買牛乳を", "牛乳を買う"),
    ],
)
def test_close_names_are_found_by_the_pieces_that_are_right(query: str, close: str):
    with listed(
        ["Call Ana", "Write a letter", "Позвонить Ани", "牛乳を買う", "Buy bread", "Something else"]
    ) as connection:
        assert search.near(connection, search.ACTIVE, query)[0] == close


def test_what_is_like_nothing_has_no_close_names():
    with listed(["Call Ana"]) as connection:
        assert search.near(connection, search.ACTIVE, "zzz") == ()
        assert search.near(connection, search.ACTIVE, "") == ()
