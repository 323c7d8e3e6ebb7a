"""A name means the application it says, never one that only sounds alike."""

import json
from pathlib import Path

import pytest

from sayso.providers.apps.names import NEAR, meant, near, perhaps

CASES = json.loads((Path(__file__).parents[2] / "cases/apps/names.json").read_text(encoding="utf-8"))


@pytest.mark.req("T-98", "S4-21")
@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_a_name_is_found_or_its_neighbours_are_named(case: dict[str, object]):
    name = str(case["name"])

    assert meant(name, CASES["known"], exact=True) == case["exact"]
    assert meant(name, CASES["known"]) == case["lenient"]
    assert list(near(name, CASES["known"])) == case["near"]


def test_three_names_are_the_most_that_is_suggested():
    assert len(near("app", [f"app {number}" for number in range(9)])) == NEAR == 3


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), ""),
        (("A",), "; did you mean “A”?"),
        (("A", "B"), "; did you mean “A” or “B”?"),
        (("A", "B", "C"), "; did you mean “A”, “B” or “C”?"),
    ],
)
def test_suggestions_read_as_a_sentence(names: tuple[str, ...], said: str):
    assert perhaps(names) == said
