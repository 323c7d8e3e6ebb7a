"""Markdown that comes in pieces is shown behind a bar, inert, with every target of a link, and in linear time."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.quotes import FSI, PDI
from sayso.surfaces.cli.chat.markdown import Look, MarkdownFlow
from sayso.surfaces.cli.text import BAR, WRAPPED, Style, columns, without_codes


def shown(text: str, size: int = 0, look: Look | None = None) -> str:
    flow = MarkdownFlow(look or Look(60))
    size = size or len(text) or 1
    return "".join(flow.add(text[at : at + size]) for at in range(0, len(text), size)) + flow.end()


def behind(text: str, size: int = 0, look: Look | None = None) -> list[str]:
    """Return the lines without their bars and styles."""
    return [without_codes(line)[len(BAR) :] for line in shown(text, size, look).split("\n")[:-1]]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("**bold** and *soft* and `code`", "bold and soft and code"),
        ("***both***", "both"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("**never closed", "**never closed"),
        ("`never closed", "`never closed"),
        ("[never closed](", "[never closed]("),
        (r"\*stars\* stay", "*stars* stay"),
        ("- one **two**", "- one two"),
        ("12. twelve", "12. twelve"),
        ("## Heading", "Heading"),
        ("> quoted", "> quoted"),
        ("[bank](https://evil.example/)", "bank (https://evil.example/)"),
        ("[https://a.example](https://a.example)", "https://a.example"),
        ("![cat](https://a.example/cat.png)", "image: cat (https://a.example/cat.png)"),
        ("<b>html</b> stays", "<b>html</b> stays"),
    ],
)
def test_marks_become_styles_and_a_link_shows_where_it_leads(written: str, seen: str):
    assert behind(written) == [seen]


def test_styles_are_shown_by_codes_and_without_colour_the_marks_stay():
    coloured = shown("**a** *b* `c`", look=Look(60, Style(colour=True)))
    plain = behind("**a** *b* `c` # x\n# Head", look=Look(60, marks=True))

    assert "\x1b[1ma" in coloured
    assert "\x1b[3mb" in coloured
    assert "\x1b[36mc" in coloured
    assert plain == ["**a** *b* `c` # x", "# Head"]


def test_a_list_hangs_and_words_are_not_cut():
    text = "- nine words that take more than one line of it"

    assert behind(text, look=Look(22)) == ["- nine words that", "  take more than one", "  line of it"]


def test_code_keeps_its_blanks_and_its_marks():
    text = "```python\nif x:\n    **y**\n```\n**z**"

    assert behind(text) == ["```python", "if x:", "    **y**", "```", "z"]


def test_a_fence_of_another_kind_does_not_end_code():
    assert behind("````\n```\n~~~~\n````\n*a*") == ["````", "```", "~~~~", "````", "a"]


def test_what_was_shown_is_never_taken_back():
    text = "A **bold** word, `code`, a [link](https://a.example/) and\n- a list\n```\ncode\n```\n"
    flow = MarkdownFlow(Look(40))

    pieces = [flow.add(letter) for letter in text]

    assert not any({"\r", "\b", "\x1b[K"} & {*piece} for piece in pieces)
    assert without_codes("".join(pieces) + flow.end()) == without_codes(shown(text, look=Look(40)))


@given(st.text(max_size=200), st.integers(20, 60), st.booleans())
def test_no_line_begins_without_a_bar_is_too_wide_or_acts(text: str, width: int, marks: bool):
    out = shown(text, 7, Look(width, marks=marks))

    lines = out.split("\n")[:-1]
    assert all(line.startswith((BAR, WRAPPED)) for line in lines)
    assert all(columns(line.rstrip()) <= width for line in lines)
    acting = {letter for letter in out if unicodedata.category(letter) in {"Cc", "Cf"}}
    assert acting <= {"\n", FSI, PDI}
    assert all(line.count(FSI) == line.count(PDI) for line in lines)


@given(st.text(alphabet="a b*_`[](!\\\n-#>1.~", max_size=120), st.integers(1, 9))
def test_no_letter_is_lost_however_it_is_cut(text: str, size: int):
    out = "".join(behind(text, size, Look(200, marks=True)))

    assert [letter for letter in out if letter != " "] == [letter for letter in text if letter not in " \n"]


@pytest.mark.parametrize(
    "piece",
    ["`", "*a ", "**", "[", "a", "![a](", "_a_ ", "**a *b ", "\u202e", "> ", "#", " ", "```", "`a``b", "](", "\\"],
)
def test_two_hundred_thousand_characters_of_one_line_are_shown_at_once(piece: str):
    # Who looks at all of it again from each mark comes to the limit of every test.
    text = piece * (200_000 // len(piece))

    for size in (24, len(text)):
        assert shown(text, size, Look(80)).startswith(BAR)
