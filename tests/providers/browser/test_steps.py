"""The steps of the tabs store are known to whoever reads the journal, by names that stay."""

from dataclasses import fields
from typing import get_args

import pytest

from sayso.core.plan import Step
from sayso.providers.browser.steps import STEPS, Steps


def test_every_step_of_the_union_is_listed_once():
    assert set(get_args(Steps)) == set(STEPS)
    assert len({step.step for step in STEPS}) == len(STEPS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step)
def test_a_step_names_its_store_and_only_fields_it_has(step: type[Step]):
    names = {field.name for field in fields(step)}

    assert step.store == "tabs"
    assert names.issuperset((*step.paths, *step.apps))
