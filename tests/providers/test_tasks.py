"""What assembly needs to know of tasks holds together."""

import importlib

from sayso.core.codec import Codec
from sayso.providers.tasks import TASKS


def test_steps_and_facts_have_names_of_their_own():
    known = Codec(TASKS.steps, TASKS.facts)

    assert len(known.steps) == len(TASKS.steps)
    assert len(known.facts) == len(TASKS.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in TASKS.steps} == {TASKS.store}


def test_operations_take_this_store_and_describe_themselves():
    assert {operation.stores for operation in TASKS.operations} == {(TASKS.store,)}
    assert all(operation.summary and operation.schema for operation in TASKS.operations)


def test_each_backend_can_be_found_and_the_embedded_one_is_taken_unasked():
    for where in TASKS.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert TASKS.default == "sqlite"
