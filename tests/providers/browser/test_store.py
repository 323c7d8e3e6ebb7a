"""Tabs: their model and store."""

from inspect import getmembers, isfunction
from typing import get_args

import pytest
from msgspec.structs import fields

from sayso.core.codec import Codec
from sayso.core.plan import Step
from sayso.providers.browser import BROWSER, memory
from sayso.providers.browser.model import (
    FACTS,
    STEPS,
    ElementAt,
    PageAt,
    Steps,
    TabAt,
    TabClosed,
    TabInFront,
    describe_change,
)
from sayso.providers.browser.store import Tabs


def test_every_operation_looks_at_this_store_alone():
    assert {operation.stores for operation in BROWSER.operations} == {("tabs",)}


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Tabs, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.MemoryTabs, isfunction)}


def test_every_step_of_the_union_is_listed_once():
    assert set(get_args(Steps)) == set(STEPS)
    assert len({step.step for step in STEPS}) == len(STEPS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step)
def test_a_step_names_its_store_and_only_fields_it_has(step: type[Step]):
    names = {field.name for field in fields(step)}

    assert step.store == "tabs"
    assert names.issuperset((*step.paths, *step.apps))


def test_every_fact_has_a_name_of_its_own():
    names = [fact.fact for fact in FACTS]

    assert all(names)
    assert sorted(Codec((), FACTS).facts) == sorted([*names, "as_left"])


def test_what_moved_on_is_named_as_a_person_knows_it():
    assert describe_change(TabAt("t", "https://a.example")) == (
        "the tab that showed https://a.example was closed or shows another page by now"
    )
    assert describe_change(TabInFront("default", "t")) == "another tab was brought to the front since"
    assert (
        describe_change(PageAt("t", "https://a.example", "1"))
        == "the page https://a.example was left or loaded again since"
    )
    assert describe_change(ElementAt("t #a b", "", "")) == "what “#a b” finds on the page is not what it was"
    assert describe_change(TabClosed("t")) == "the tabs are no longer as they were"
