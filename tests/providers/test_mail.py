"""What assembly needs to know of mail holds together."""

import importlib

from sayso.core.codec import Codec
from sayso.providers.mail import MAIL


def test_steps_and_facts_have_names_of_their_own():
    known = Codec(MAIL.steps, MAIL.facts)

    assert len(known.steps) == len(MAIL.steps)
    assert len(known.facts) == len(MAIL.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in MAIL.steps} == {MAIL.store}


def test_operations_take_this_store_and_describe_themselves():
    assert {operation.stores for operation in MAIL.operations} == {(MAIL.store,)}
    assert all(operation.summary and operation.schema for operation in MAIL.operations)


def test_each_backend_can_be_found_and_a_maildir_is_the_default():
    for where in MAIL.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert MAIL.default == "maildir"
