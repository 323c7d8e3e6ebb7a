"""What assembly needs to know of web holds together."""

import importlib

from sayso.core.codec import Codec
from sayso.providers.web import WEB


def test_steps_and_facts_have_names_of_their_own():
    known = Codec(WEB.steps, WEB.facts)

    assert len(known.steps) == len(WEB.steps)
    assert len(known.facts) == len(WEB.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in WEB.steps} == {WEB.store}


def test_operations_take_this_store_and_describe_themselves():
    assert {operation.stores for operation in WEB.operations} == {(WEB.store,)}
    assert all(operation.summary and operation.schema for operation in WEB.operations)


def test_each_backend_can_be_found_and_none_is_taken_unasked():
    for where in WEB.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert WEB.default is None
