"""What is quoted or shown cannot end its quotes, act, hide, reorder what stands beside it, or take long."""

import ast
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sayso
from sayso.core.normal_forms import Form, normal_form
from sayso.core.quotes import FSI, PDI, QUOTED, balance, quoted, unquoted, visible

SOURCES = Path(sayso.__file__).parent
HOSTILE = st.text(
    st.sampled_from("ab “”\\{}u\t\n\u202e\u2066\u2068\u2069\u200bשםع\u0661\u0301\u0903\u20dd/"), max_size=30
)


@given(st.one_of(st.text(), HOSTILE))
def test_a_quoted_value_reads_back_as_itself(value: str):
    assert unquoted(quoted(value)) == value


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_two_quoted_values_in_a_sentence_cannot_be_cut_in_another_way(one: str, two: str, three: str, four: str):
    said, other = f"Move {quoted(one)} to {quoted(two)}", f"Move {quoted(three)} to {quoted(four)}"

    assert (visible(said) == visible(other)) == ((one, two) == (three, four))


@given(HOSTILE)
def test_a_quoted_value_is_found_whole_in_a_sentence(value: str):
    assert [found.group() for found in QUOTED.finditer(f"Open {quoted(value)}, now")] == [quoted(value)]


@pytest.mark.req("AV-01")
@given(st.one_of(st.text(), HOSTILE), st.one_of(st.text(), HOSTILE))
def test_different_texts_are_shown_differently(one: str, other: str):
    assert (visible(one) == visible(other)) == (one == other)


@given(st.one_of(st.text(), HOSTILE))
def test_right_to_left_text_stands_in_isolates_that_are_closed(text: str):
    shown = visible(text)

    depth = 0
    for letter in shown:
        depth += (letter == FSI) - (letter == PDI)
        assert depth in {0, 1}
        assert depth == 1 or unicodedata.bidirectional(letter) not in {"R", "AL", "AN"}
    assert depth == 0


def test_words_written_from_right_to_left_keep_their_order_and_names_around_them_theirs():
    assert visible("~/שלום עולם/a") == f"~/{FSI}שלום עולם{PDI}/a"
    assert visible("a שלום ") == f"a {FSI}שלום{PDI} "
    assert visible("שלום/ע") == f"{FSI}שלום{PDI}/{FSI}ע{PDI}"


def test_pieces_of_a_line_open_and_close_their_own_isolates():
    assert balance([f"a{FSI}ש", "ל", f"ם{PDI}b"]) == [f"a{FSI}ש{PDI}", f"{FSI}ל{PDI}", f"{FSI}ם{PDI}b"]


@pytest.mark.parametrize("mark", ["\u0301", "\u20dd", "\u0903", "\u0e31", "\u0f71", "\u1dc0", "\u0488"])
def test_marks_of_every_category_are_limited_and_need_a_letter(mark: str):
    number = f"\\u{{{ord(mark):x}}}"

    assert visible("e" + mark * 6) == "e" + mark * 4 + number * 2
    assert visible(quoted(mark)) == f"“{number}”"
    assert visible(f"+{mark}a") == f"+{number}a"
    assert visible(f"a {mark}") == f"a {number}"


def raw_quotes(source: str) -> list[int]:
    """Return the lines in which a value stands between curly quotes without `quoted`."""
    lines: list[int] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            pairs = pairwise(node.values)
            lines += [
                node.lineno
                for before, value in pairs
                if isinstance(value, ast.FormattedValue)
                and isinstance(before, ast.Constant)
                and str(before.value).endswith("“")
            ]
    return lines


@pytest.mark.parametrize("room", ["policy", "providers", "runtime", "surfaces"])
def test_no_sentence_puts_a_value_between_quotes_that_it_could_end(room: str):
    found = {
        f"{path.relative_to(SOURCES)}:{line}"
        for path in (SOURCES / room).rglob("*.py")
        if "“{" in (text := path.read_text("utf-8"))
        for line in raw_quotes(text)
    }

    assert found == set()
    assert raw_quotes('f"Open “{name}”"') == [1]


FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text", ["", "plain", "é", "e\u0301\u0323", "각", "ﬁ", "─" * 200, "🙂" * 200, "a" + "\u0301" * 30]
)
def test_a_text_has_the_normal_form_of_unicode(text: str, form: Form):
    assert normal_form(text, form) == unicodedata.normalize(form, text)


def test_equal_texts_have_equal_forms_however_many_marks_they_have():
    assert normal_form("e" + "\u0301" * 100) == normal_form(normal_form("e" + "\u0301" * 100))


def test_a_million_marks_are_composed_at_once():
    # Who sorts all of them comes to the limit of every test.
    assert len(normal_form("\u0323\u0301" * 500_000)) < 1_100_000
