"""A model is told every tab with its eight keys, and what the browser itself says, cut."""

import json
from collections.abc import Mapping
from typing import cast

import pytest

from sayso.core.context import Around
from sayso.providers.browser.context import tabs
from sayso.providers.browser.memory import backend
from sayso.providers.browser.store import Tabs
from sayso.providers.browser.world import planted
from sayso.testing.fakes import NumberedIds

AROUND = Around(())


class Silent:
    """Reads of a browser that has no words of its own for its tabs."""

    def __init__(self, reads: Tabs) -> None:
        self._reads = reads

    def __getattr__(self, name: str) -> object:
        if name == "raw":
            raise AttributeError(name)
        return getattr(self._reads, name)


def reads(*tabs: Mapping[str, object]) -> Tabs:
    return backend(planted({"sites": [], "windows": [{"tabs": list(tabs)}]}), NumberedIds()).reads


@pytest.mark.req("S4-40", "S4-41", "S4-42", "T-110")
async def test_each_tab_has_its_eight_keys_and_its_number_stands_for_it():
    seen = reads(
        {"url": "https://www.reddit.com/r/x", "title": "x", "summary": "w" * 300}, {"url": "https://b.example/"}
    )

    parsed, raw = await tabs(seen, AROUND)

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
    parsed, raw = await tabs(reads(*({"url": f"https://{n}.example/{'x' * 90}"} for n in range(200))), AROUND)

    assert (len(str(raw.data)), len(parsed.shown)) == (10_000, 200)
    assert len(cast("list[object]", parsed.data)) == 200


@pytest.mark.req("S4-40")
async def test_a_browser_without_words_of_its_own_is_told_by_its_tabs_alone():
    told = await tabs(cast("Tabs", Silent(reads({"url": "https://a.example"}))), AROUND)

    assert [piece.name for piece in told] == ["tabs"]
