"""Colour stands only on a terminal that wants it, and is always reset."""

import io

import pytest

from sayso.surfaces.cli.style import Style, style_at, style_for, understands_codes


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "colour"),
    [
        (_Terminal(), {"TERM": "xterm"}, True),
        (_Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (_Terminal(), {"TERM": "dumb"}, False),
        (_Terminal(), {"TERM": ""}, False),
        (_Terminal(), {}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(stream: io.StringIO, environ: dict[str, str], colour: bool):
    assert style_for(stream, environ).colour is colour


@pytest.mark.parametrize(("term", "understands"), [({"TERM": "linux"}, True), ({"TERM": ""}, False), ({}, False)])
def test_a_terminal_without_a_name_takes_plain_text_alone(term: dict[str, str], understands: bool):
    assert understands_codes(term) is understands
    assert style_at({**term, "NO_COLOR": ""}).colour is understands


def test_each_piece_resets_what_it_set():
    style = Style(colour=True)

    for paint in (style.bold, style.faint, style.good, style.bad, style.careful):
        assert paint("x").endswith("x\x1b[0m")
        assert paint("") == ""


def test_without_colour_the_text_is_itself():
    assert Style().bad("x") == "x"
