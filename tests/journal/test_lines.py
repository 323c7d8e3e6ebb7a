"""Any JSON value is one line and comes back equal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.journal.lines import line


@pytest.mark.req("AU-02")
@given(st.text() | st.lists(st.text(alphabet="\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\u202e\0\x1b\ud800é🎉")))
def test_it_is_one_line_and_comes_back(value: object):
    text = line(value)

    assert len(text.splitlines()) == 1
    assert text.encode()  # no lone surrogate is left
    assert json.loads(text) == value


def test_what_turns_text_around_or_moves_the_cursor_is_spelled_out():
    assert line("photo\u202egpj.exe \x9b2J \x1b[2J") == '"photo\\u202egpj.exe \\u009b2J \\u001b[2J"'


def test_letters_of_every_language_stay():
    assert line("Grüße, 世界") == '"Grüße, 世界"'
