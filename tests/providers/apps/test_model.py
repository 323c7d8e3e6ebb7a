"""The steps of the apps store are known to whoever reads the journal, by names that stay."""

from typing import get_args

import pytest
from msgspec.structs import fields

from sayso.core.codec import Codec
from sayso.core.plan import Fact, Step
from sayso.providers.apps.model import FACTS, STEPS, Installed, Running, Steps, WindowAt, describe_change


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
    assert describe_change(Running("Notes", ("1",))) == "Notes was started or ended since this was planned"
    assert describe_change(Installed("Notes", "n")) == "Notes is no longer the application it was when this was planned"
    assert (
        describe_change(WindowAt("w", "Notes", 0, 0, 1, 1))
        == "the window of Notes was moved or closed since this was planned"
    )
    assert describe_change(Fact("x")) == "“x” is no longer as it was when this was planned"
