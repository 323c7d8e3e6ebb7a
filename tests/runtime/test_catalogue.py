"""The catalogue is one, and knows by name what is imported later."""

from dataclasses import replace

import pytest

from sayso.core.errors import SetupError
from sayso.core.later import Later
from sayso.runtime.catalogue import catalogue, codec
from tests.runtime.shelf_operations import SHELF

FAR = replace(SHELF, store="far", operations=Later({"no.such.module:OPERATIONS": "shelf.put far.away"}))


def test_two_providers_cannot_declare_the_same_operation() -> None:
    with pytest.raises(SetupError, match=r"two providers declare the operation “shelf\.put”"):
        catalogue([SHELF, replace(SHELF, store="other")])


def test_the_codec_knows_every_step_and_fact() -> None:
    assert set(codec([SHELF]).steps) == {"shelf.put", "shelf.take"}


def test_what_is_imported_later_cannot_be_declared_twice_either() -> None:
    with pytest.raises(SetupError, match=r"two providers declare the operation “shelf\.put”"):
        catalogue([SHELF, FAR])


def test_nothing_is_imported_to_know_what_there_is() -> None:
    known = catalogue([FAR])

    assert (list(known), "far.away" in known, known.get("far.off")) == (["shelf.put", "far.away"], True, None)
    with pytest.raises(ImportError):
        known["far.away"]
