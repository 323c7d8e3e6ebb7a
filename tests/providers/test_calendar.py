"""What assembly needs to know of calendar holds together."""

import importlib

from sayso.core.codec import Codec
from sayso.providers.calendar import CALENDAR


def test_steps_and_facts_have_names_of_their_own():
    known = Codec(CALENDAR.steps, CALENDAR.facts)

    assert len(known.steps) == len(CALENDAR.steps)
    assert len(known.facts) == len(CALENDAR.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in CALENDAR.steps} == {CALENDAR.store}


def test_operations_take_this_store_and_describe_themselves():
    assert {operation.stores for operation in CALENDAR.operations} == {(CALENDAR.store,)}
    assert all(operation.summary and operation.schema for operation in CALENDAR.operations)


def test_each_backend_can_be_found_and_a_folder_is_the_default():
    for where in CALENDAR.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert CALENDAR.default == "vdir"
