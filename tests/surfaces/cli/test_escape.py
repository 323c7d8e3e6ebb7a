"""Characters that act or hide are written out, and two texts never look the same."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.escape import visible, visible_lines

# The list of security case AV-01, as code points.
AV_01 = [
    0x1B, 0x9B, 0x0D, 0x08, 0x07, 0x200B, 0x200D, 0xFEFF, 0x202E, 0x2066, 0xAD, 0xE0041, 0xE0100, 0x3164, 0x115F,
    0x2800, 0x34F, 0xA0, 0x180E, 0x2028, 0x2029, 0x0, 0x7F, 0x85, 0xFE0F, 0x3000, 0xD800, 0xE000, 0x378, 0x1160, 0xFFA0,
]  # fmt: skip


@pytest.mark.parametrize("number", AV_01)
@pytest.mark.req("AV-01")
def test_what_cannot_be_seen_is_written_out(number: int):
    assert visible(f"a{chr(number)}b") == f"a\\u{{{number:x}}}b"
    assert visible_lines(f"a{chr(number)}b") == [f"a\\u{{{number:x}}}b"]


@pytest.mark.parametrize("text", ["plain", "Grüße aus Łódź", "日本語", "a-b_c/d.e~", "café", "cafe\u0301", "❤ “x”"])
def test_what_can_be_seen_stays(text: str):
    assert visible(text) == text


@given(st.text())
def test_nothing_that_acts_or_hides_comes_through(text: str):
    shown = visible(text)

    assert all(unicodedata.category(letter)[0] != "C" for letter in shown)
    assert all(unicodedata.category(letter) not in {"Zl", "Zp"} for letter in shown)
    assert not any(unicodedata.category(letter) == "Zs" and letter != " " for letter in shown)


@given(st.text(alphabet=st.sampled_from("a \\u{}12\u200b⟨⟩spaceslin,20\t"), max_size=60), st.data())
def test_two_texts_never_look_the_same(one: str, data: st.DataObject):
    other = data.draw(st.text(alphabet=st.sampled_from("a \\u{}12\u200b⟨⟩spaceslin,20\t"), max_size=60))

    assert (visible(one) == visible(other)) == (one == other)


def test_a_written_number_in_the_text_itself_is_told_apart():
    assert visible("a\\u{200b}") != visible("a\u200b")


@pytest.mark.req("AV-03")
def test_padding_is_counted_instead_of_shown():
    assert visible("a" + " " * 500 + "b") == "a⟨500 spaces⟩b"
    assert visible_lines("a" + "\n" * 301 + "b") == ["a", "⟨300 empty lines⟩", "b"]


def test_lines_keep_their_ends_and_show_tabs_and_returns():
    assert visible_lines("a\tb\r\nc\n") == ["a⇥   b\\u{d}", "c", ""]


def test_marks_piled_on_one_letter_are_written_out():
    assert visible("e" + "\u0301" * 9).count("\\u{301}") == 5
