"""Matching by text follows the four steps, and nothing else."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.tasks.matching import matching, near, normalised

CASES = json.loads((Path(__file__).parent / "matching.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from(["wine", "Wine", "buy", "task", "the", "for", "a", "dinner", "win", "Ünal", "é", "é", "7", "!"])
TEXTS = st.lists(WORDS, max_size=5).map(" ".join) | st.text(max_size=12)


def found(query: str, items: list[str]) -> list[str]:
    return list(matching(query, items, str))


@pytest.mark.req("S2-22", "S2-23", "S2-24", "T-58")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['query']!r} in {case['items']}")
def test_each_query_finds_what_the_rule_says(case: dict[str, list[str] | str]):
    assert found(str(case["query"]), list(case["items"])) == case["found"]


GENERIC = ["task", "tasks", "todo", "habit", "habits", "item", "the", "a", "an", "my", "for", "to"]


def by_the_rule(query: str, items: list[str]) -> list[str]:
    """Apply the rule of T-58 step by step, without anything of sayso."""

    def plain(text: str) -> str:
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
        text = " ".join(text.split())
        pairs = ("“”", '""', "''", "``", "„“", "„”", "””", "‘’", "‚‘", "‚’", "’’", "«»", "»«")  # noqa: RUF001 - quotes of many languages
        while len(text) > 1 and text[0] + text[-1] in pairs:
            text = " ".join(text[1:-1].split())
        return text

    def letters(text: str) -> str:
        return "".join(
            "w" if char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M" else " " for char in text
        )

    def tokens(text: str) -> list[str]:
        return [text[hit.start() : hit.end()] for hit in re.finditer("w+", letters(text))]

    def as_words(whole: str, part: str) -> bool:
        shape = letters(whole)
        for hit in range(len(whole) - len(part) + 1):
            end = hit + len(part)
            inside = shape[max(hit - 1, 0) : hit + 1] == "ww" and hit > 0
            beyond = shape[end - 1 : end + 1] == "ww"
            if whole[hit:end] == part and not inside and not beyond:
                return True
        return False

    wanted = plain(query)
    real = [(item, plain(item)) for item in items if plain(item)] if wanted else []
    meant = [token for token in tokens(wanted) if token not in GENERIC]
    nothing: list[str] = []
    steps = (
        [item for item, text in real if text == wanted],
        [item for item, text in real if wanted in text],
        [item for item, text in real if as_words(wanted, text)],
        [
            item
            for item, text in real
            if meant and all(any(word.startswith(one) for word in tokens(text)) for one in meant)
        ],
    )
    return next((step for step in steps if step), nothing)


@pytest.mark.req("T-58")
@given(TEXTS, st.lists(TEXTS, max_size=6))
def test_it_is_the_rule_for_any_texts(query: str, items: list[str]):
    assert found(query, items) == by_the_rule(query, items)


@pytest.mark.req("S2-23")
@given(st.text(alphabet="abc dé", max_size=10), st.lists(st.text(alphabet="abc dé", max_size=10), max_size=4))
def test_the_case_of_letters_never_matters(query: str, items: list[str]):
    assert found(query.upper(), items) == found(query, items)


@given(TEXTS)
def test_comparing_twice_is_comparing_once(text: str):
    assert normalised(normalised(text)) == normalised(text)


def test_close_names_come_closest_first():
    assert near("Bye wine", ["Call Ana", "Buy wines", "Buy wine", "Buy lime"], 2) == ("Buy wine", "Buy wines")
    assert near("zzz", ["Buy wine"]) == ()
