"""The commands contract on a computer kept in memory: what a model names is checked, done, and given back."""

from pathlib import Path
from typing import Any

import pytest

from sayso.assembly import Home
from sayso.runtime.results import Report
from tests.journeys.ground import commands, opened

MEMORY = '[apps]\nkind = "memory"\n[talk]\nkind = "memory"\nworld = { context = { Tabs = ["1. Reddit"] } }\n'
BROWSER = """[browser]
kind = "memory"
[browser.world]
windows = [
  {tabs = [{url = "https://github.com"}, {url = "https://www.reddit.com/a"}, {url = "https://a.example"}]},
  {tabs = [{url = "https://b.example"}, {url = "https://www.reddit.com/b"}, {url = "https://c.example"},
    {url = "https://d.example"}, {url = "https://www.reddit.com/c"}]},
]
"""


async def says(home: Home, *items: dict[str, Any]) -> tuple[Report, list[dict[str, Any]]]:
    report = await home.run(commands(*items), "commands")
    return report, home.results_for(report)


async def data(home: Home, command: str, member: str) -> Any:
    _, (given,) = await says(home, {"type": command})
    return given["data"][member]


async def windows(home: Home) -> dict[str, list[int]]:
    return {window["app"]: window["bounds"] for window in await data(home, "list_apps", "windows")}


@pytest.mark.req("S4-19", "S4-28", "S4-51")
async def test_what_runs_and_what_tabs_there_are_is_given_back(tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        assert await data(home, "list_apps", "apps") == ["Finder", "Google Chrome"]
        assert [tab["index"] for tab in await data(home, "list_tabs", "tabs")] == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.req("S4-20", "S4-27")
async def test_an_application_is_launched_when_it_does_not_run_and_quit_whole(tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        await says(home, {"type": "focus_app", "app_name": "TextEdit"})
        launched = await data(home, "list_apps", "apps")
        await says(home, {"type": "close_app", "app_name": "TextEdit"})

        assert (launched[-1], "TextEdit" in await data(home, "list_apps", "apps")) == ("TextEdit", False)


@pytest.mark.req("S4-22", "S4-23", "S4-24")
@pytest.mark.parametrize(
    ("where", "bounds"),
    [
        ({"monitor": "right"}, [2020, 100, 3220, 900]),
        ({"bounds": [0, 0, 1920, 1080]}, [0, 0, 1920, 1080]),
        ({"monitor": "right", "bounds": [1920, 0, 2880, 1080]}, [1920, 0, 2880, 1080]),
    ],
)
async def test_a_window_goes_to_a_monitor_or_to_bounds(where: dict[str, Any], bounds: list[int], tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        await says(home, {"type": "place_app", "app_name": "Google Chrome", **where})

        assert (await windows(home))["Google Chrome"] == bounds


@pytest.mark.req("S4-45", "S4-29")
async def test_one_match_is_switched_to_once_it_is_seen_to_be_there(tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        await says(home, {"type": "switch_tab", "tab_index": 5})

        assert [tab["index"] for tab in await data(home, "list_tabs", "tabs") if tab["is_active"]] == [5]


@pytest.mark.req("S4-46", "S4-47", "S4-06", "S4-30")
@pytest.mark.parametrize("numbers", [[2, 5, 8], [8, 2, 5], [1, 3, 5]])
async def test_several_tabs_close_in_one_step_and_all_others_stay(numbers: list[int], tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        before = [tab["url"] for tab in await data(home, "list_tabs", "tabs")]
        report, _ = await says(home, {"type": "close_tab", "tab_indices": numbers})

        after = [tab["url"] for tab in await data(home, "list_tabs", "tabs")]
        plan: Any = report.outcomes[0].record.plan
        (change,) = plan["changes"]
        assert after == [url for number, url in enumerate(before, 1) if number not in numbers]
        assert len(change["do"]["tabs"]) == len(numbers)


@pytest.mark.req("S4-36", "T-100")
async def test_a_question_is_answered_in_its_place_and_changes_nothing(tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        report, given = await says(
            home,
            {"type": "list_apps"},
            {"type": "query", "question": "What are my oldest tabs right now?"},
            {"type": "focus_app", "app_name": "Notes"},
        )

        assert [str(one.record.state) for one in report.outcomes] == ["done"] * 3
        assert given[1]["data"]["text"] == "Tabs:\n- 1. Reddit"
        assert report.outcomes[1].record.plan is None


@pytest.mark.req("S4-07")
async def test_the_same_request_on_the_same_world_gives_the_same_effects(tmp_path: Path):
    asked = (
        {"type": "open_url", "url": "example.org"},
        {"type": "close_tab", "tab_indices": [8, 2]},
        {"type": "place_app", "app_name": "Finder", "monitor": "right"},
    )
    told: list[Any] = []
    for name in ("one", "other"):
        async with opened(tmp_path / name / "own", MEMORY + BROWSER) as home:
            report, given = await says(home, *asked)
            digests = [one.record.plan and one.record.plan["changes"] for one in report.outcomes]
            tabs = [tab["url"] for tab in await data(home, "list_tabs", "tabs")]
            told.append((digests, given, tabs, await windows(home)))

    assert told[0] == told[1]


@pytest.mark.req("S4-32", "S4-33", "S4-51")
async def test_an_address_opens_in_a_new_tab_always_and_is_told_as_it_was_opened(tmp_path: Path):
    async with opened(tmp_path / "own", MEMORY + BROWSER) as home:
        _, (given,) = await says(home, {"type": "open_url", "url": "github.com"})

        assert given["data"] == {"url": "https://github.com"}
        assert len(await data(home, "list_tabs", "tabs")) == 9
