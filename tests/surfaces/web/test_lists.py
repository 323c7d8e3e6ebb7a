"""The page's server shows the person's own lists, and does to them what the person clicks."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest

import sayso
from sayso.assembly import Home
from tests.patience import patience
from tests.web_env.page import serving

TEXTS = {"Dinner", "Buy wine"}


class Lists:
    """A browser that was let in, and the home whose lists it shows."""

    def __init__(self, home: Home, web: httpx2.AsyncClient) -> None:
        self.home = home
        self.web = web

    async def read(self) -> dict[str, Any]:
        """Return the lists."""
        return (await self.web.get("/api/lists")).json()

    async def texts(self) -> set[str]:
        """Return the texts of all tasks."""
        return {task["text"] for task in (await self.read())["tasks"]}

    async def do(self, operation: str, **arguments: object) -> dict[str, Any]:
        """Do something, and return its only result."""
        answer = await self.web.post("/api/lists", json={"operation": operation, "arguments": arguments})
        (result,) = answer.json()["results"]
        return result


@pytest.fixture(scope="module")
async def lists(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Lists]:
    folder = tmp_path_factory.mktemp("lists")
    (folder / "own").mkdir()
    async with (
        sayso.open_home(str(folder / "own"), environ={"HOME": str(folder)}) as home,
        serving(home) as (url, token),
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=patience()) as web,
    ):
        assert (await web.post("/api/session", json={"token": token})).status_code == 204
        yield Lists(home, web)


async def test_a_click_on_the_persons_own_lists_is_done_recorded_and_taken_back(lists: Lists):
    dinner = await lists.do("task.add", text="Dinner")
    wine = await lists.do("task.add_subtask", parent=dinner["data"]["id"], text="Buy wine")
    deleted = await lists.do("task.delete", target=dinner["data"]["id"])
    gone = await lists.texts()
    undone = (await lists.web.post("/api/undo", json={"id": deleted["undo"]})).json()["results"]

    back = [(task["text"], task["level"]) for task in (await lists.read())["tasks"] if task["text"] in TEXTS]
    (row,) = await lists.home.log_of(deleted["id"])
    assert (wine["state"], deleted["state"], undone[0]["state"]) == ("done", "done", "done")
    assert not TEXTS & gone
    assert back == [("Dinner", 0), ("Buy wine", 1)]
    assert (row.entry, row.marks.approved_by) == ("page", "click")


async def test_a_habit_is_listed_with_the_times_at_which_it_was_done(lists: Lists):
    habit = await lists.do("habit.add", text="Meditate", interval_hours=24)
    await lists.do("habit.log", target=habit["data"]["id"])

    (shown,) = (await lists.read())["habits"]

    assert (shown["text"], shown["due"], len(shown["times"])) == ("Meditate", False, 1)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("file.delete", {"path": "~/Documents/x"}), ("task.nothing", {}), ("notify.show", {"title": "x"})],
)
async def test_nothing_but_the_lists_is_changed_by_their_route(lists: Lists, operation: str, arguments: dict[str, str]):
    before = await lists.home.log()

    answer = await lists.web.post("/api/lists", json={"operation": operation, "arguments": arguments})

    assert (answer.status_code, answer.json()["code"]) == (400, "page.request")
    assert await lists.home.log() == before


async def test_what_is_named_only_in_part_waits_for_a_card_before_it_is_deleted(lists: Lists):
    await lists.do("task.add", text="Renew the passport")

    waits = await lists.do("task.delete", target="passport")

    assert waits["state"] == "waiting"
    assert "Renew the passport" in await lists.texts()
    await lists.home.decline(waits["id"])
