"""A tab is named by the number under which the model was shown it, in every dialect that has tabs."""

from pathlib import Path

import pytest

from sayso.assembly import Home
from sayso.providers.browser.model import TabAt
from tests.journeys.ground import commands, only, opened, tool_call

WORLD = """
[browser]
kind = "memory"
[browser.world]
sites = []
windows = [
  {tabs = [{url = "https://one.example", title = "One"}, {url = "https://two.example", title = "Two"}]},
  {tabs = [{url = "https://three.example", title = "Three"}, {url = "https://four.example", title = "Four"}]},
]
"""


LIST = {
    "lines": "TAB_LIST",
    "tools": tool_call("browser", action="tabs"),
    "commands": commands({"type": "list_tabs"}),
}
SWITCH = {
    "lines": "TAB_SWITCH 3",
    "tools": tool_call("browser", action="switch_tab", tab_index=3),
    "commands": commands({"type": "switch_tab", "tab_index": 3}),
}


async def front(home: Home) -> str:
    return only(await home.run("TAB_URL", session="looking on")).text


async def by_hand(home: Home, text: str) -> None:
    """Do what the person does meanwhile: no session that the model speaks in hears of it."""
    assert only(await home.run(text)).record.state in {"done", "unchanged"}


@pytest.mark.req("T-97", "S4-05", "S4-29", "T-41")
@pytest.mark.parametrize("dialect", LIST)
async def test_a_number_means_the_tab_that_was_listed_though_it_has_moved(dialect: str, tmp_path: Path):
    async with opened(tmp_path / "own", WORLD) as home:
        await home.run(LIST[dialect], dialect, session="chat")
        await by_hand(home, "TAB_CLOSE 1")

        switched = only(await home.run(SWITCH[dialect], dialect, session="chat"))

        assert switched.record.marks.message == "Switched to tab 3"
        assert await front(home) == "https://three.example"


@pytest.mark.req("T-97")
@pytest.mark.parametrize("dialect", LIST)
async def test_a_tab_that_has_gone_is_refused_and_nothing_that_took_its_place_is_touched(dialect: str, tmp_path: Path):
    async with opened(tmp_path / "own", WORLD) as home:
        await home.run(LIST[dialect], dialect, session="chat")
        await by_hand(home, "TAB_CLOSE 3")

        refused = only(await home.run(SWITCH[dialect], dialect, session="chat"))
        await home.run(LIST[dialect], dialect, session="chat")
        again = only(await home.run(SWITCH[dialect], dialect, session="chat"))

        assert (refused.record.marks.code, again.record.marks.message) == ("tab.another", "Switched to tab 3")
        assert "“https://three.example”" in str(refused.record.marks.error)
        assert "a page of four.example" in str(refused.record.marks.error)


@pytest.mark.req("T-97")
async def test_another_conversation_and_a_dry_run_change_no_numbers(tmp_path: Path):
    async with opened(tmp_path / "own", WORLD) as home:
        await home.run(LIST["lines"], session="chat")
        await by_hand(home, "TAB_CLOSE 1")
        await home.run(LIST["lines"], session="other")
        await home.run(LIST["lines"], session="chat", dry_run=True)

        await home.run(SWITCH["lines"], session="chat")
        mine = await front(home)
        await home.run(SWITCH["lines"], session="other")

        assert (mine, await front(home)) == ("https://three.example", "https://four.example")


@pytest.mark.req("T-97", "S4-30")
async def test_a_request_that_was_shown_nothing_means_the_tabs_as_it_began(tmp_path: Path):
    both = commands({"type": "close_tab", "tab_indices": [1, 2]}, {"type": "switch_tab", "tab_index": 4})
    async with opened(tmp_path / "own", WORLD) as home:
        report = await home.run(both, "commands")

        assert [str(one.record.state) for one in report.outcomes] == ["done", "done"]
        assert await front(home) == "https://four.example"


@pytest.mark.req("T-97")
async def test_a_list_within_a_request_does_not_move_the_numbers_of_what_follows(tmp_path: Path):
    lines = "TAB_CLOSE 1\nTAB_LIST\nTAB_SWITCH 3"
    async with opened(tmp_path / "own", WORLD) as home:
        await home.run(lines, session="chat")
        within = await front(home)
        await home.run("TAB_SWITCH 3", session="chat")

        assert (within, await front(home)) == ("https://three.example", "https://four.example")


@pytest.mark.req("T-97")
async def test_a_context_that_was_put_together_elsewhere_says_what_was_shown(tmp_path: Path):
    async with opened(tmp_path / "own", WORLD) as home:
        home.remember_shown(
            "chat", "tabs", (TabAt("tab-4", "https://four.example"), TabAt("tab-2", "https://two.example"))
        )

        await home.run("TAB_SWITCH 1", session="chat")
        shown = await front(home)
        beyond = only(await home.run("TAB_SWITCH 3", session="chat"))

        assert shown == "https://four.example"
        assert beyond.record.marks.error == "there is no tab 3; you were shown 2 tabs, numbered 1 to 2"


@pytest.mark.req("T-97")
async def test_calls_of_one_reply_mean_what_was_shown_before_it_and_not_what_the_first_of_them_finds(tmp_path: Path):
    both = f"[{LIST['tools']}, {SWITCH['tools']}]"
    async with opened(tmp_path / "own", WORLD) as home:
        await home.run(LIST["tools"], "tools", session="chat")
        await by_hand(home, "TAB_CLOSE 1")

        await home.run(both, "tools", session="chat")
        before = await front(home)
        await home.run(SWITCH["tools"], "tools", session="chat")

        assert (before, await front(home)) == ("https://three.example", "https://four.example")
