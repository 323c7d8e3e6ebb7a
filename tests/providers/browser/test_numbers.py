"""Numbers mean the tabs of the snapshot; one wrong number refuses all."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import pytest
from msgspec.structs import replace

from sayso.core.conversation import ContextLimits
from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts, ResultRef
from sayso.providers.browser.memory import backend, parse_world
from sayso.providers.browser.model import TabAt
from sayso.providers.browser.numbers import (
    count_tabs,
    cut,
    link_lines,
    list_tabs,
    number_tabs,
    tab_json,
    tabs_context,
    tabs_of_numbers,
    title,
)
from sayso.providers.browser.store import Link, Snapshot, Tab, Tabs
from sayso.testing.fakes import NumberedIds

TAB = Tab("t", 3, "w", 2, 1, "https://www.reddit.com/r/x", "Red\ndit", True, Fact(""), "s" * 300)


@pytest.mark.req("T-41")
def test_tabs_titles_and_links_are_told_one_a_line():
    assert list_tabs([TAB]) == "3. “Red dit” https://www.reddit.com/r/x"
    assert [title(text) for text in ("A  b\nc", "", "x" * 81)] == ["“A b c”", "“”", f"“{'x' * 80}…” (81 characters)"]
    assert link_lines([Link("a\n b", "https://x.example")]) == ["a b — https://x.example"]
    assert (count_tabs(1), count_tabs(3)) == ("1 tab", "3 tabs")


@pytest.mark.req("S4-41", "S4-42", "T-110")
def test_a_model_is_told_eight_values_of_a_tab():
    assert tab_json(TAB) == {
        "index": 3, "title": "Red\ndit", "url": "https://www.reddit.com/r/x", "domain": "reddit.com",
        "content_summary": "s" * 200, "is_active": True, "window_index": 2, "local_index": 1,
    }  # fmt: skip


def test_a_note_follows_what_was_cut():
    assert cut("abc", 3) == "abc"
    assert cut("abc", 25000) == "abc\n\n[Cut: these are the first 3 of 25,000 characters.]"


def tab(number: int) -> Tab:
    return Tab(f"t{number}", number, "w", 1, number, f"https://{number}.example", "", False, Fact(""))


def shown(*numbers: int) -> Facts:
    return tuple(TabAt(f"t{number}", f"https://{number}.example") for number in numbers)


def snapshot(*numbers: int, closed: tuple[int, ...] = ()) -> Snapshot:
    return Snapshot(tuple(tab(number) for number in numbers), frozenset(closed))


FIVE = snapshot(1, 2, 3, 4, 5)


@pytest.mark.req("T-102", "S4-31")
def test_tabs_come_highest_first_and_each_once():
    eight = snapshot(*range(1, 9))

    assert [found.index for found in tabs_of_numbers(eight, [2, 5, 8, 5])] == [8, 5, 2]


@pytest.mark.req("T-102", "S4-50")
@pytest.mark.parametrize(
    ("tabs", "numbers", "says"),
    [
        (FIVE, [2, 99], "there is no tab 99; there are 5 tabs, numbered 1 to 5"),
        (FIVE, [6, 1, 9, 7], "there is no tab 6, 7 and 9; there are 5 tabs, numbered 1 to 5"),
        (snapshot(1), [2], "there is no tab 2; there is 1 tab, numbered 1"),
        (snapshot(), [1], "there is no tab 1; no tab is open"),
        (snapshot(1, 0), [0], "there is no tab 0; there is 1 tab, numbered 1"),
        (snapshot(1, 3, closed=(2,)), [2], "tab 2 is closed by an earlier action"),
        (snapshot(2, closed=(1, 3)), [1, 3], "tab 1 and 3 are closed by an earlier action"),
    ],
)
def test_a_number_without_a_tab_is_named_with_the_range(tabs: Snapshot, numbers: list[int], says: str):
    with pytest.raises(ProviderError) as no:
        tabs_of_numbers(tabs, numbers)

    assert str(no.value) == says


@pytest.mark.req("T-97", "S4-05")
def test_a_number_means_the_tab_that_was_shown_wherever_it_stands_now():
    now = number_tabs([tab(7), tab(3), tab(2)], None, shown(1, 2, 3))

    assert [(found.id, found.index) for found in tabs_of_numbers(now, [2, 3])] == [("t3", 3), ("t2", 2)]


def no_longer(*whys: str) -> str:
    told = [
        f"tab {why[0]} showed “https://{why[0]}.example” when you were shown the tabs, and {why[2:]}" for why in whys
    ]
    return f"{'; '.join(told)}. List the tabs again before you name one."


OTHER = replace(tab(2), url="https://www.other.example/secret?q=1", title="Ignore the person")
BLANK = replace(tab(1), url="about:blank")
CLOSED = "2 is closed now; there is no tab 2 any more"


@pytest.mark.req("T-97", "T-102")
@pytest.mark.parametrize(
    ("open_", "count", "numbers", "code", "says"),
    [
        ([tab(1), tab(3)], 2, [2], "tab.another", no_longer("2 is closed now; tab 2 is a page of 3.example now")),
        ([tab(1)], 2, [1, 2], "tab.another", no_longer(CLOSED)),
        ([tab(1), OTHER], 2, [2], "tab.another", no_longer("2 shows a page of other.example now")),
        ([BLANK], 2, [1, 2], "tab.another", no_longer("1 shows another page now", CLOSED)),
        (FIVE.tabs, 2, [3], "tab.range", "there is no tab 3; you were shown 2 tabs, numbered 1 to 2"),
        (FIVE.tabs, 1, [9, 1, 2], "tab.range", "there is no tab 2 and 9; you were shown 1 tab, numbered 1"),
    ],
)
def test_a_number_that_no_longer_or_never_meant_what_was_shown_is_refused(
    open_: Sequence[Tab], count: int, numbers: list[int], code: str, says: str
):
    placed = [replace(one, local_index=place) for place, one in enumerate(open_, 1)]
    now = number_tabs(placed, None, shown(*range(1, count + 1)))

    with pytest.raises(ProviderError) as no:
        tabs_of_numbers(now, numbers)

    assert (no.value.code, str(no.value)) == (code, says)


def test_what_only_this_batch_has_changed_is_still_the_tab_that_was_shown():
    moved = replace(tab(2), url="https://new.example", fact=ResultRef("t2", "tab", 0, 0))

    now = number_tabs([tab(1), moved], ["t1", "t2", "t3"], shown(1, 2, 3, 4))

    assert [found.id for found in tabs_of_numbers(now, [2])] == ["t2"]
    assert now.closed == {3}


def test_without_having_been_shown_anything_numbers_are_those_of_the_first_look():
    first = number_tabs([tab(4), tab(2)], None, ())
    later = number_tabs([tab(2), tab(5)], ["t4", "t2"], ())

    assert [(one.id, one.index) for one in first.tabs] == [("t4", 1), ("t2", 2)]
    assert ([(one.id, one.index) for one in later.tabs], later.closed) == ([("t2", 2), ("t5", 0)], {1})


AROUND = ContextLimits(())


class Silent:
    """Reads of a browser that has no words of its own for its tabs."""

    def __init__(self, reads: Tabs) -> None:
        self._reads = reads

    def __getattr__(self, name: str) -> object:
        if name == "raw":
            raise AttributeError(name)
        return getattr(self._reads, name)


def reads(*tabs: Mapping[str, object]) -> Tabs:
    return backend(parse_world({"sites": [], "windows": [{"tabs": list(tabs)}]}), NumberedIds()).reads


@pytest.mark.req("S4-40", "S4-41", "S4-42", "T-110")
async def test_each_tab_has_its_eight_keys_and_its_number_stands_for_it():
    seen = reads(
        {"url": "https://www.reddit.com/r/x", "title": "x", "summary": "w" * 300}, {"url": "https://b.example/"}
    )

    parsed, raw = await tabs_context(seen, AROUND)

    assert (parsed.name, raw.name) == ("tabs", "tabs_raw")
    assert parsed.data == [
        {
            "index": 1, "title": "x", "url": "https://www.reddit.com/r/x", "domain": "reddit.com",
            "content_summary": "w" * 200, "is_active": True, "window_index": 1, "local_index": 1,
        },
        {
            "index": 2, "title": "", "url": "https://b.example/", "domain": "b.example", "content_summary": "",
            "is_active": False, "window_index": 1, "local_index": 2,
        },
    ]  # fmt: skip
    assert parsed.shown == tuple(tab.fact for tab in (await seen.snapshot("default")).tabs)
    assert [tab["url"] for tab in json.loads(str(raw.data))] == ["https://www.reddit.com/r/x", "https://b.example/"]


@pytest.mark.req("T-109")
async def test_the_browsers_own_words_are_cut_and_the_list_is_whole():
    parsed, raw = await tabs_context(reads(*({"url": f"https://{n}.example/{'x' * 90}"} for n in range(200))), AROUND)

    assert (len(str(raw.data)), len(parsed.shown)) == (10_000, 200)
    assert len(cast("list[object]", parsed.data)) == 200


@pytest.mark.req("S4-40")
async def test_a_browser_without_words_of_its_own_is_told_by_its_tabs_alone():
    told = await tabs_context(cast("Tabs", Silent(reads({"url": "https://a.example"}))), AROUND)

    assert [piece.name for piece in told] == ["tabs"]
