"""Applications and windows: their model and store."""

import json
from inspect import getmembers, isfunction
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import fields

from sayso.core.codec import Codec
from sayso.core.plan import Fact, Step
from sayso.providers.apps import APPS, memory
from sayso.providers.apps.model import FACTS, STEPS, AppInstalled, AppRunning, Steps, WindowAt, describe_change
from sayso.providers.apps.store import MOST_SUGGESTIONS, Apps, did_you_mean, match_name, suggest_names

CASES = json.loads((Path(__file__).parents[2] / "cases/apps/names.json").read_text(encoding="utf-8"))


@pytest.mark.req("T-98", "S4-21")
@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_a_name_is_found_or_its_neighbours_are_named(case: dict[str, object]):
    name = str(case["name"])

    assert match_name(name, CASES["known"], exact=True) == case["exact"]
    assert match_name(name, CASES["known"]) == case["lenient"]
    assert list(suggest_names(name, CASES["known"])) == case["near"]


def test_three_names_are_the_most_that_is_suggested():
    assert len(suggest_names("app", [f"app {number}" for number in range(9)])) == MOST_SUGGESTIONS == 3


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
    assert did_you_mean(names) == said


def test_every_operation_looks_at_this_store_alone():
    assert {operation.stores for operation in APPS.operations} == {("apps",)}


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Apps, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.MemoryApps, isfunction)}


def test_every_step_of_the_union_is_listed_once():
    assert set(get_args(Steps)) == set(STEPS)
    assert len({step.step for step in STEPS}) == len(STEPS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step)
def test_a_step_names_its_store_and_only_fields_it_has(step: type[Step]):
    names = {field.name for field in fields(step)}

    assert step.store == "apps"
    assert names.issuperset((*step.paths, *step.apps))


def test_every_fact_has_a_name_of_its_own():
    names = [fact.fact for fact in FACTS]

    assert all(names)
    assert sorted(Codec((), FACTS).facts) == sorted([*names, "as_left"])


def test_what_moved_on_is_named_as_a_person_knows_it():
    assert describe_change(AppRunning("Notes", ("1",))) == "Notes was started or ended since this was planned"
    assert (
        describe_change(AppInstalled("Notes", "n")) == "Notes is no longer the application it was when this was planned"
    )
    assert (
        describe_change(WindowAt("w", "Notes", 0, 0, 1, 1))
        == "the window of Notes was moved or closed since this was planned"
    )
    assert describe_change(Fact("x")) == "“x” is no longer as it was when this was planned"
