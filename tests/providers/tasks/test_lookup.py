"""Matching by text follows the four steps, and nothing else."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.tasks.lookup import matching, near, normalize
from tests.providers.tasks.rule import by_the_rule

CASES = json.loads((Path(__file__).parent / "matching.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from(["wine", "Wine", "buy", "task", "the", "for", "a", "dinner", "win", "Ünal", "é", "é", "7", "!"])
TEXTS = st.lists(WORDS, max_size=5).map(" ".join) | st.text(max_size=12)


def found(query: str, items: list[str]) -> list[str]:
    return list(matching(query, items, str))


@pytest.mark.req("S2-22", "S2-23", "S2-24", "T-58")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['query']!r} in {case['items']}")
def test_each_query_finds_what_the_rule_says(case: dict[str, list[str] | str]):
    assert found(str(case["query"]), list(case["items"])) == case["found"]


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
    assert normalize(normalize(text)) == normalize(text)


def test_close_names_come_closest_first():
    assert near("Bye wine", ["Call Ana", "Buy wines", "Buy wine", "Buy lime"], 2) == ("Buy wine", "Buy wines")
    assert near("zzz", ["Buy wine"]) == ()
