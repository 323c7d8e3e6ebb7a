"""The apps store is one port, and operations ask for it by its name."""

import json
from inspect import getmembers, isfunction
from pathlib import Path

import pytest

from sayso.providers.apps import APPS, memory
from sayso.providers.apps.store import NEAR, Apps, match_name, near, perhaps

CASES = json.loads((Path(__file__).parents[2] / "cases/apps/names.json").read_text(encoding="utf-8"))


@pytest.mark.req("T-98", "S4-21")
@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_a_name_is_found_or_its_neighbours_are_named(case: dict[str, object]):
    name = str(case["name"])

    assert match_name(name, CASES["known"], exact=True) == case["exact"]
    assert match_name(name, CASES["known"]) == case["lenient"]
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


def test_every_operation_looks_at_this_store_alone():
    assert {operation.stores for operation in APPS.operations} == {("apps",)}


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Apps, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.Reads, isfunction)}
