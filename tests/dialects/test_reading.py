"""A whole text is read piece by piece, and what was said of it is kept."""

from collections.abc import Mapping, Sequence

import pytest

from sayso.core.canonical import Json
from sayso.core.events import Clarification, Event, Proposed, Text, Warned
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.dialects.reading import Chooses, Reading, events, pieces, read

ONE, TWO = Proposal(0, "one"), Proposal(1, "two")


class Echo:
    """Says each piece, and at the end what it was given to say."""

    def __init__(self, *last: Event) -> None:
        self._last = list(last)

    def feed(self, chunk: str) -> list[Event]:
        return [Text(f"<{chunk}>")]

    def close(self) -> list[Event]:
        return self._last


class Chosen(Echo):
    chosen = "other"


class Made:
    """A dialect with one reader."""

    def __init__(self, reader: Echo) -> None:
        self.name = "made"
        self._reader = reader

    def reader(self, operations: Mapping[str, Operation]) -> Echo:
        del operations
        return self._reader

    def describe(self, operations: Sequence[Operation]) -> str:
        del operations
        return ""

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        del operation, arguments
        return ""

    def remark(self, text: str) -> str:
        del text
        return ""

    def together(self, parts: Sequence[str]) -> str:
        del parts
        return ""


@pytest.mark.parametrize(
    ("text", "size", "cut"),
    [
        ("abcde", None, ["abcde"]),
        ("abcde", 2, ["ab", "cd", "e"]),
        ("abcd", 2, ["ab", "cd"]),
        ("ab", 2, ["ab"]),
        ("ab", 9, ["ab"]),
        ("", None, [""]),
        ("", 3, [""]),
    ],
)
def test_a_text_is_cut_into_pieces_of_a_size(text: str, size: int | None, cut: list[str]):
    assert list(pieces(text, size)) == cut


@pytest.mark.req("PA-05")
def test_each_piece_and_the_end_give_what_they_make_certain():
    assert list(events(Echo(Proposed(ONE)), "abc", 2)) == [[Text("<ab>")], [Text("<c>")], [Proposed(ONE)]]


def test_what_was_said_is_kept_in_its_order():
    said = (Proposed(ONE), Warned("w"), Text("!"), Proposed(TWO), Warned("x"), Clarification("which?"))

    found = read(Made(Echo(*said)), {}, "ab", 1)

    assert (found.dialect, found.text) == ("made", "<a><b>!")
    assert (found.proposals, found.warnings) == ((ONE, TWO), ("w", "x"))
    assert (found.needs_clarification, found.clarification_reason) == (True, "which?")


def test_without_a_question_none_is_needed():
    found = read(Made(Echo()), {}, "a")

    assert (found.text, found.proposals, found.warnings) == ("<a>", (), ())
    assert (found.needs_clarification, found.clarification_reason) == (False, None)


def test_a_reading_of_which_nothing_more_is_said_needs_no_answer():
    made = Reading("lines", "", (ONE,))

    assert (made.warnings, made.needs_clarification, made.clarification_reason) == ((), False, None)


def test_a_question_without_a_reason_is_one():
    found = read(Made(Echo(Clarification(None), Clarification("b"))), {}, "a")

    assert (found.needs_clarification, found.clarification_reason) == (True, None)


def test_a_reader_that_finds_out_the_dialect_names_it():
    assert isinstance(Chosen(), Chooses)
    assert read(Made(Chosen()), {}, "a").dialect == "other"
