"""Many tabs in three windows of a real browser, some of them discarded, some with a page that asks to stay."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

import sayso
from sayso.assembly import Home
from tests.desktop_env.browser import Chromium, Site, serving
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import wait_for
from tests.desktop_env.tab_list import TabList, extended
from tests.journeys.ground import a_home, commands, said, states, yes
from tests.patience import patience

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.timeout(300)]
SIZES = {"sixty": (24, 20, 16), "two hundred": (80, 70, 50)}
"""How many tabs stand in each of three windows; two hundred of them in the thorough ring."""
ASKS = "<title>{0}</title><input autofocus><script>onbeforeunload = e => {{ e.preventDefault(); return 'x' }}</script>"
Opening = Callable[[], AbstractAsyncContextManager[Home]]


@dataclass(frozen=True)
class Crowd:
    """A browser with many tabs, of which every tenth has been discarded and every tenth asks before it goes."""

    chromium: Chromium
    site: Site
    tabs: TabList
    urls: list[list[str]]
    sizes: tuple[int, ...]

    @property
    def all(self) -> list[str]:
        return [url for window in self.urls for url in window]

    @property
    def many(self) -> int:
        return sum(self.sizes)

    @property
    def closed(self) -> list[int]:
        """Return every second number: tabs that ask and discarded ones among them, and no first tab of a window."""
        return [number for number in range(1, self.many + 1) if number % 2 == 0]


@pytest.fixture(scope="module", params=["sixty", pytest.param("two hundred", marks=pytest.mark.thorough)])
def made(request: pytest.FixtureRequest) -> Iterator[Crowd]:
    sizes = SIZES[request.param]
    with session("chromium") as desk, serving() as site:
        chromium = extended(desk)
        numbers = iter(range(1, sum(sizes) + 1))
        urls = [[site.url(_path(next(numbers))) for _ in range(size)] for size in sizes]
        yield Crowd(chromium, site, TabList(chromium), urls, sizes)


@pytest.fixture
def crowd(made: Crowd) -> Crowd:
    """Return the browser with all tabs in their places; they are opened once, unless a test left others behind."""
    for path in (_path(number) for number in range(1, made.many + 1)):
        made.site.pages[path] = ASKS.format(path) if path.startswith("/asks") else f"<title>{path}</title>{path}"
    if made.tabs.addresses() != made.urls:
        _open(made.chromium, made.urls)
        wait_for(lambda: made.tabs.addresses() == made.urls, "all tabs in their places", patience(90))
        wait_for(lambda: all(tab["status"] == "complete" for tab in made.tabs.all()), "all pages", patience(90))
    made.tabs.discard({url for url in made.all if "/left/" in url})
    return made


def _path(number: int) -> str:
    kind = {4: "asks", 8: "left"}.get(number % 10, "page")
    return f"/{kind}/{number}"


def _open(chromium: Chromium, urls: list[list[str]]) -> None:
    old = [each["id"] for each in chromium.get("/json/list") if each["type"] == "page"]
    chromium.calls(
        *(
            ("Target.createTarget", {"url": url, "newWindow": place == 0, "background": place > 0})
            for window in urls
            for place, url in enumerate(window)
        )
    )
    chromium.calls(*(("Target.closeTarget", {"targetId": each}) for each in old))


@pytest.fixture
def opened(crowd: Crowd, scratch_home: Path) -> Opening:
    own = a_home(scratch_home.parent / "sayso", f'[browser]\nkind = "cdp"\ncdp_url = "{crowd.chromium.url}"\n')
    return lambda: sayso.open_home(own)


@pytest.mark.req("S4-28", "S4-41", "T-41", "C-22", "S1-48")
async def test_all_are_listed_in_one_order_over_all_windows(crowd: Crowd, opened: Opening):
    async with opened() as home:
        report = await home.run(commands({"type": "list_tabs"}), "commands")
        shown = (await home.context()).data["tabs"]

    tabs = cast("list[dict[str, Any]]", report.outcomes[0].data["tabs"])
    windows = [(window, local) for window, size in enumerate(crowd.sizes, 1) for local in range(1, size + 1)]
    assert [tab["url"] for tab in tabs] == crowd.all
    assert [(tab["window_index"], tab["local_index"]) for tab in tabs] == windows
    assert [tab["index"] for tab in tabs] == list(range(1, crowd.many + 1))
    assert sum(tab["is_active"] for tab in tabs) == 1
    assert [tab["title"] for tab in tabs] == [_path(number) for number in range(1, crowd.many + 1)]
    assert shown == tabs


@pytest.mark.req("T-102", "S4-50", "S4-30")
async def test_one_wrong_number_closes_none_of_many(crowd: Crowd, opened: Opening):
    async with opened() as home:
        report = await home.run(
            commands({"type": "close_tab", "tab_indices": [*crowd.closed, crowd.many + 1]}), "commands"
        )

    assert states(report) == ["failed"]
    many = crowd.many
    assert f"there is no tab {many + 1}; there are {many} tabs, numbered 1 to {many}" in str(said(report))
    assert crowd.tabs.addresses() == crowd.urls


@pytest.mark.req("C-28", "S4-31", "S4-46", "S4-47", "UN-01")
async def test_many_close_highest_first_and_come_back_where_they_were(crowd: Crowd, opened: Opening):
    before = crowd.tabs.all()
    closing = [before[number - 1] for number in reversed(crowd.closed)]
    without = [tab["id"] for tab in closing if tab["discarded"]]
    crowd.tabs.gone()

    async with opened() as home:
        report = await home.run(
            commands({"type": "close_tab", "tab_indices": crowd.closed}), "commands", approver=yes()
        )
        gone, left = crowd.tabs.gone(), [url for window in crowd.tabs.addresses() for url in window]
        back = await home.undo(report.run)

    assert (states(report), said(report)) == (["done"], [f"Closed {crowd.many // 2} tabs"])
    assert len(without) > 1
    assert sorted(gone) == sorted(tab["id"] for tab in closing)
    # What has a page is asked by the browser to let go, and goes a little later than what has none.
    assert [one for one in gone if one in without] == without
    assert left == [url for number, url in enumerate(crowd.all, 1) if number not in crowd.closed]
    assert states(back) == ["done"]
    assert crowd.tabs.addresses() == crowd.urls


@pytest.mark.req("S4-29", "S4-45", "C-23", "S1-49")
async def test_a_tab_without_its_page_comes_to_the_front_and_is_loaded_again(crowd: Crowd, opened: Opening):
    url = crowd.all[17]

    async with opened() as home:
        report = await home.run(commands({"type": "switch_tab", "tab_index": 18}), "commands")
        text = (await home.run("PAGE_TEXT")).outcomes[0].data["text"]

    assert (states(report), said(report)) == (["done"], ["Switched to tab 18"])
    assert text == "/left/18"
    assert [tab["active"] for tab in crowd.tabs.all() if tab["url"] == url] == [True]
    assert crowd.tabs.addresses() == crowd.urls


@pytest.mark.req("T-97", "S4-50")
async def test_a_tab_discarded_since_it_was_shown_is_named_and_none_of_the_request_is_closed(
    crowd: Crowd, opened: Opening
):
    async with opened() as home:
        await home.run(commands({"type": "list_tabs"}), "commands", session="chat")
        crowd.tabs.discard({crowd.all[40]})
        report = await home.run(commands({"type": "close_tab", "tab_indices": [40, 41]}), "commands", session="chat")

    assert crowd.tabs.addresses() == crowd.urls
    assert states(report) == ["failed"]
    assert f"tab 41 showed “{crowd.all[40]}” when you were shown the tabs" in str(said(report))


@pytest.mark.req("S1-38", "T-23", "UN-01")
async def test_a_page_that_asks_before_it_is_left_stays(crowd: Crowd, opened: Opening):
    asks = crowd.all[13]

    async with opened() as home:
        await home.run(commands({"type": "switch_tab", "tab_index": 14}), "commands")
        typed = await home.run("PAGE_CLICK input", approver=yes())
        left = await home.run(f"URL_OPEN {crowd.site.url('/elsewhere')} default false", approver=yes())

    assert (states(typed), states(left)) == (["done"], ["failed"])
    assert "asks before it is left" in str(said(left))
    assert asks in crowd.chromium.shown()
    assert crowd.tabs.addresses() == crowd.urls
