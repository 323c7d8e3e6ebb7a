"""Characters that act or hide are written out, and two texts never look the same."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.encoding import code
from sayso.core.lookalikes import warnings
from sayso.core.quotes import EMOJI, FSI, PDI, visible
from sayso.surfaces.cli.text import (
    BAR,
    WRAPPED,
    Style,
    block,
    columns,
    cut,
    cut_at_blanks,
    one_line,
    pack,
    sentence,
    short_block,
    style_at,
    style_for,
    understands_codes,
    visible_lines,
)

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


EMOJI_WIDTHS = {
    "❤️": 2, "⚠️": 2, "1️⃣": 2, "🇩🇪": 4, "👍": 2, "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f": 2,
    "👍🏽": 4, "🏳️‍🌈": 4, "👩‍💻": 4, "👨‍👩‍👧": 6,
}  # fmt: skip


@pytest.mark.parametrize(("emoji", "width"), EMOJI_WIDTHS.items())
def test_emoji_stand_as_they_are_and_take_their_columns(emoji: str, width: int):
    assert visible(f"a {emoji}{emoji} b") == f"a {emoji}{emoji} b"
    assert columns(emoji) == width
    assert cut(emoji * 5, width) == [emoji] * 5


@pytest.mark.parametrize(
    "hidden",
    [
        "a\ufe0f",
        "\ufe0f",
        "👍\u200d",
        "\u200d👍",
        "👨\u200d\u200d👩",
        "1\ufe0f",
        "❤\ufe0f\ufe0f",
        "👍\u202e",
        "🏴\U000e0041\U000e007f",
    ],
)
def test_what_belongs_to_no_emoji_is_written_out(hidden: str):
    assert "\\u{" in visible(hidden)
    assert visible(hidden) != hidden


@given(st.text())
def test_nothing_that_acts_or_hides_comes_through(text: str):
    shown = EMOJI.sub("", visible(text).replace(FSI, "").replace(PDI, ""))

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


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("\u0440\u0430ypal", "U+0440 CYRILLIC SMALL LETTER ER"),
        ("~/Documents/in\u03bfvoice.pdf", "U+03BF GREEK SMALL LETTER OMICRON"),
        ("ana@ex\u0430mple.org", "U+0430 CYRILLIC SMALL LETTER A"),
        ("\uff50aypal", "U+FF50 FULLWIDTH LATIN SMALL LETTER P"),
    ],
)
@pytest.mark.req("AV-02")
def test_a_mixed_word_is_named_with_its_odd_letter(text: str, named: str):
    (sentence,) = warnings(text)

    assert named in sentence


@pytest.mark.req("AV-02")
def test_a_word_wholly_in_lookalikes_before_a_latin_domain_is_named():
    (sentence,) = warnings("https://\u0440\u0430\u0443.com/")

    assert "looks like Latin letters" in sentence


@pytest.mark.parametrize(
    "text", ["plain/path.txt", "Grüße", "Привет мир", "Ελληνικά", "日本語 text", "документ.txt", "a1b2", "Ægir", ""]
)
def test_ordinary_words_are_left_alone(text: str):
    assert warnings(text) == []


def without_isolates(text: str) -> str:
    return text.replace(FSI, "").replace(PDI, "")


@given(st.text(), st.integers(min_value=4, max_value=40))
def test_cutting_loses_nothing_and_keeps_the_width(text: str, width: int):
    text = visible(text)

    pieces = cut(text, width)

    assert without_isolates("".join(pieces)) == without_isolates(text)
    assert all(piece.count(FSI) == piece.count(PDI) for piece in pieces)
    assert all(columns(piece) <= width for piece in pieces)


@given(st.text(alphabet=st.one_of(st.just(" "), st.characters())), st.integers(min_value=4, max_value=40))
def test_cutting_after_blanks_loses_nothing_and_keeps_the_width(text: str, width: int):
    text = visible(text)

    pieces = cut_at_blanks(text, width)

    assert without_isolates("".join(pieces)) == without_isolates(text)
    assert all(piece.count(FSI) == piece.count(PDI) for piece in pieces)
    assert all(columns(piece) <= width for piece in pieces)


def test_a_value_is_cut_between_its_words():
    assert cut_at_blanks("“a”: “one two”, “b”: 12", 12) == ["“a”: “one ", "two”, “b”: ", "12"]


def test_keys_stand_side_by_side_as_far_as_there_is_room():
    assert pack(["y yes", "Enter no", "? help"], " · ", 20, "  ") == ["y yes · Enter no", "  ? help"]


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
    assert f"code {code(text)}" in "".join(shown.lines)
    assert code(text) != code(text + " ")


def test_a_short_text_is_shown_whole():
    assert short_block("a\nb", 80, "").left_out == 0


def test_wide_letters_take_two_columns():
    assert columns("日本") == 4
    assert one_line("日本語日本語", 7) == "日本語…"
