"""A value made anew has the fields asked for, keeps all others, and leaves the first as it was."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.plan import CannotUndo
from sayso.core.record import Marks, Record, State
from sayso.core.replacing import replace

A_RECORD = Record(1, "do_1", "run_1", 0, "now", "lines", "library", "", "file.move", {"path": "~/a"}, Marks(State.DONE))


@given(st.fixed_dictionaries({}, optional={"said": st.text(), "index": st.integers(), "plan": st.none()}))
def test_a_value_made_anew_is_what_the_standard_library_makes(new: dict[str, Any]) -> None:
    assert replace(A_RECORD, **new) == dataclasses.replace(A_RECORD, **new)


def test_the_first_value_stays_as_it_was() -> None:
    before = dataclasses.astuple(A_RECORD)

    marked = A_RECORD.marked(message="Moved file", turn=3)

    assert (marked.marks.message, marked.marks.turn) == ("Moved file", 3)
    assert dataclasses.astuple(A_RECORD) == before


def test_a_field_that_there_is_not_is_an_error() -> None:
    with pytest.raises(TypeError, match="Record has no colour"):
        replace(A_RECORD, colour="red")


def test_a_value_made_anew_is_frozen_too() -> None:
    made: Any = replace(A_RECORD, said="something else")

    with pytest.raises(dataclasses.FrozenInstanceError):
        made.said = "changed"


def test_a_value_with_slots_is_made_anew_too() -> None:
    assert replace(CannotUndo("sent"), why="gone") == CannotUndo("gone")
