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
