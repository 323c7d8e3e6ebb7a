"""Text is laid out without losing a letter, and foreign lines never begin where ours do."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.layout import BAR, WRAPPED, block, columns, cut, one_line, sentence, short_block


@given(st.text(), st.integers(min_value=4, max_value=40))
def test_cutting_loses_nothing_and_keeps_the_width(text: str, width: int):
    pieces = cut(text, width)

    assert "".join(pieces) == text
    assert all(columns(piece) <= width for piece in pieces)


@given(st.text(), st.integers(min_value=30, max_value=100))
def test_every_line_of_a_foreign_text_has_a_bar(text: str, width: int):
    lines = block(text, width, "  ")

    assert all(line.startswith(("  " + BAR, "  " + WRAPPED)) for line in lines)
    assert all(columns(line) <= width for line in lines)


@given(st.text(alphabet="abü漢 ", max_size=300))
def test_a_sentence_keeps_its_words(text: str):
    lines = sentence(text, 40, "> ", "  ")

    assert " ".join(line[2:] for line in lines).split() == text.split() or all(len(word) > 38 for word in text.split())
    assert all(columns(line) <= 40 for line in lines)


def test_what_is_left_out_is_counted_and_hashed():
    text = "x" * 700

    shown = short_block(text, 80, "")

    assert shown.left_out == 100
    assert "100 more characters" in "".join(shown.lines)
    assert hashlib.sha256(text.encode()).hexdigest() in "".join(shown.lines)


def test_a_short_text_is_shown_whole():
    assert short_block("a\nb", 80, "").left_out == 0


def test_wide_letters_take_two_columns():
    assert columns("日本") == 4
    assert one_line("日本語日本語", 7) == "日本語…"
