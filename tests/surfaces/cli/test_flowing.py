"""Text that comes in pieces is laid out as if it came at once, and no line of it begins where ours do."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.flowing import Flow
from sayso.surfaces.cli.layout import BAR, WRAPPED


def flowed(pieces: list[str], width: int | None) -> str:
    flow = Flow(width)
    return "".join(flow.add(piece) for piece in pieces) + flow.end()


def test_each_line_has_its_bar_and_a_long_one_is_cut_where_the_screen_ends():
    assert flowed(["Hel", "lo\n", "x" * 20], 18) == f"{BAR}Hello\n{BAR}{'x' * 16}\n{WRAPPED}{'x' * 4}\n"


def test_without_a_screen_it_stays_as_it_is_but_for_what_acts():
    assert flowed(["a\n", "b\x1b[2J"], None) == "a\nb\\u{1b}[2J\n"


def test_nothing_is_nothing():
    assert flowed([""], 80) == ""


@pytest.mark.req("AV-06")
@given(st.lists(st.text(max_size=40), max_size=8), st.integers(20, 60))
def test_no_line_begins_without_a_bar_and_nothing_in_it_acts(pieces: list[str], width: int):
    out = flowed(pieces, width)

    assert all(line.startswith((BAR, WRAPPED)) for line in out.split("\n")[:-1])
    assert not any(unicodedata.category(letter) in {"Cc", "Cf"} for letter in out.replace("\n", ""))


@given(st.text(alphabet="ab\n wide漢", max_size=80), st.integers(1, 7))
def test_how_it_is_cut_makes_no_difference(text: str, size: int):
    pieces = [text[at : at + size] for at in range(0, len(text), size)]

    assert flowed(pieces, 20) == flowed([text], 20)
