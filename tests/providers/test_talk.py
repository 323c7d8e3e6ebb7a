"""What assembly needs to know of talk holds together."""

import importlib

from sayso.core.codec import Codec
from sayso.providers.talk import TALK


def test_steps_and_facts_have_names_of_their_own():
    known = Codec(TALK.steps, TALK.facts)

    assert len(known.steps) == len(TALK.steps)
    assert len(known.facts) == len(TALK.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in TALK.steps} == {TALK.store}


def test_operations_take_this_store_and_describe_themselves():
    assert {operation.stores for operation in TALK.operations} == {(TALK.store,)}
    assert all(operation.summary and operation.schema for operation in TALK.operations)


def test_each_backend_can_be_found_and_only_questions_are_answered_unasked():
    for where in TALK.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert TALK.default == "here"
