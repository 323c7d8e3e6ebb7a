"""What assembly needs to know of notes holds together."""

import importlib

from sayso.core.codec import Codec
from sayso.providers.notes import NOTES


def test_steps_and_facts_have_names_of_their_own():
    known = Codec(NOTES.steps, NOTES.facts)

    assert len(known.steps) == len(NOTES.steps)
    assert len(known.facts) == len(NOTES.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in NOTES.steps} == {NOTES.store}


def test_operations_take_this_store_and_describe_themselves():
    assert {operation.stores for operation in NOTES.operations} == {(NOTES.store,)}
    assert all(operation.summary and operation.schema for operation in NOTES.operations)


def test_each_backend_can_be_found_and_a_folder_is_the_default():
    for where in NOTES.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert NOTES.default == "folder"
