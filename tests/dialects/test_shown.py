"""What a person is shown of a reply only grows, and blank lines do not pile up in it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.dialects.shown import Shown


def shown(pieces: list[str], *, code: bool = False) -> str:
    screen = Shown()
    return "".join(screen.add(piece, code=code) for piece in pieces)


@pytest.mark.req("S2-16", "S2-17", "T-68")
@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A\n\n\n\n\nB", "A\n\nB"),
        ("A\n\nB", "A\n\nB"),
        ("A\nB", "A\nB"),
        ("\n\n  A\n\n\n", "  A"),
        ("A\r\n\r\n\r\n\r\nB", "A\r\n\r\nB"),
        ("A  \n \n \nB", "A  \n \n \nB"),
        ("   ", ""),
        ("", ""),
        ("A   ", "A   "),
    ],
)
def test_long_gaps_become_one_blank_line_and_none_stand_at_the_ends(text: str, seen: str):
    assert shown([text]) == seen
    assert shown(list(text)) == seen


@pytest.mark.req("T-68")
def test_blank_lines_of_code_stay():
    screen = Shown()

    seen = [screen.add("A\n```\n"), screen.add("x\n\n\n\ny\n", code=True), screen.add("```\n\n\n\nB")]

    assert "".join(seen) == "A\n```\nx\n\n\n\ny\n```\n\nB"


@given(st.lists(st.text(alphabet="ab \n\r\t", max_size=6), max_size=8))
def test_how_it_is_cut_makes_no_difference(pieces: list[str]):
    text = "".join(pieces)

    assert shown(pieces) == shown([text]) == shown(list(text))


@given(st.text(alphabet="ab \n", max_size=30))
def test_nothing_but_blank_lines_is_taken_away(text: str):
    seen = shown([text])

    assert "".join(seen.split()) == "".join(text.split())
    assert not re.search(r"\n{3,}", seen)
    assert not seen.endswith("\n")


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        (["A\n  "], "B", "A\nB"),
        (["A\n", "  ", "\t"], "B", "A\nB"),
        (["A\n\n", " "], "\nB", "A\n\nB"),
        (["A  "], "B", "A  B"),
        (["  "], "B", "B"),
        (["\n  "], " B", " B"),
        ([], "B", "B"),
    ],
)
def test_the_blanks_before_what_is_taken_away_go_with_it(before: list[str], after: str, seen: str):
    screen = Shown()
    shown = [screen.add(piece) for piece in before]

    screen.outdent()

    assert "".join([*shown, screen.add(after)]) == seen


def test_blanks_of_code_before_what_is_taken_away_stay_code():
    screen = Shown()
    shown = [screen.add("A"), screen.add("\n\n\n\n  ", code=True)]

    screen.outdent()

    assert "".join([*shown, screen.add("B")]) == "A\n\n\n\nB"


@given(st.lists(st.tuples(st.text(alphabet="ab \n\r\t", max_size=6), st.booleans()), max_size=8))
def test_how_text_and_code_are_cut_makes_no_difference(pieces: list[tuple[str, bool]]):
    whole, single = Shown(), Shown()

    seen = [whole.add(text, code=code) for text, code in pieces]

    assert "".join(seen) == "".join([single.add(one, code=code) for text, code in pieces for one in text])
    assert "".join("".join(seen).split()) == "".join("".join(text for text, _ in pieces).split())


@pytest.mark.req("T-68")
@pytest.mark.parametrize(
    ("parts", "seen"),
    [
        ([("A\n\n\n", False), ("\n\n\n", True), ("\n\n\nB", False)], "A\n\n\n\n\n\n\nB"),
        ([("A\n\n\n\n", False), ("x", True)], "A\n\nx"),
        ([("A", True), ("\n\n\n\nB", False)], "A\n\nB"),
        ([("\n\n\n", True), ("  x", True)], "  x"),
        ([("x\n\n\n\n", True)], "x"),
    ],
)
def test_only_blank_lines_outside_code_are_taken_away(parts: list[tuple[str, bool]], seen: str):
    screen = Shown()

    assert "".join([screen.add(text, code=code) for text, code in parts]) == seen
