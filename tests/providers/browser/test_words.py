"""What pages say of themselves stands in quotes, on one line, and is cut with its length."""

import pytest

from sayso.core.plan import Fact
from sayso.providers.browser.store import Link, Tab
from sayso.providers.browser.words import as_json, cut, lines, listed, tabs, title

TAB = Tab("t", 3, "w", 2, 1, "https://www.reddit.com/r/x", "Red\ndit", True, Fact(""), "s" * 300)


@pytest.mark.parametrize(
    ("text", "said"),
    [("A  b\nc", "“A b c”"), ("", "“”"), ("x" * 81, f"“{'x' * 80}…” (81 characters)")],
)
def test_a_title_stays_on_one_line(text: str, said: str):
    assert title(text) == said


@pytest.mark.req("S4-41", "S4-42", "T-110")
def test_a_model_is_told_eight_values_of_a_tab():
    assert as_json(TAB) == {
        "index": 3,
        "title": "Red\ndit",
        "url": "https://www.reddit.com/r/x",
        "domain": "reddit.com",
        "content_summary": "s" * 200,
        "is_active": True,
        "window_index": 2,
        "local_index": 1,
    }


@pytest.mark.req("T-41")
def test_tabs_are_listed_with_their_numbers():
    assert listed([TAB]) == "3. “Red dit” https://www.reddit.com/r/x"


def test_a_note_follows_what_was_cut():
    assert cut("abc", 3) == "abc"
    assert cut("abc", 25000) == "abc\n\n[Cut: these are the first 3 of 25,000 characters.]"


def test_links_are_lines_of_text_and_address():
    assert lines([Link("a\n b", "https://x.example")]) == ["a b — https://x.example"]


def test_one_tab_is_one_tab():
    assert (tabs(1), tabs(3)) == ("1 tab", "3 tabs")
