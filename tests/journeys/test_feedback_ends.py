"""A model is told of what was well said and still did not happen, and does next what it was told, in every dialect."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.providers.tasks.lists import Task
from sayso.runtime.questions import Client
from sayso.runtime.results import Report
from sayso.testing.fakes import FakeClock
from tests.journeys.following import WRAP, turn

EDIT = {
    "lines": 'TASK_EDIT "{}" "{}"',
    "tools": '{{"name": "task_edit", "arguments": {{"target": "{}", "new_text": "{}"}}}}',
    "blocks": '{{"type": "edit_task", "taskText": "{}", "newText": "{}"}}',
    "commands": '{{"type": "task_edit", "target": "{}", "new_text": "{}"}}',
}
ADD = {
    "lines": 'TASK_ADD "{}"',
    "tools": '{{"name": "task_add", "arguments": {{"text": "{}"}}}}',
    "blocks": '{{"type": "add_task", "text": "{}"}}',
    "commands": '{{"type": "task_add", "text": "{}"}}',
}
DELETE = {
    "lines": 'TASK_DELETE "{}"',
    "tools": '{{"name": "task_delete", "arguments": {{"target": "{}"}}}}',
    "blocks": '{{"type": "delete_task", "taskText": "{}"}}',
    "commands": '{{"type": "task_delete", "target": "{}"}}',
}
YES, NO = Client(lambda question: True), Client(lambda question: False)


class Meanwhile:
    """A person who says yes, after something else has happened."""

    def __init__(self, happens: Callable[[], Awaitable[Any]]) -> None:
        self._happens = happens

    async def ask(self, question: Question) -> Decision | None:
        await self._happens()
        return question.yes("client")


@asynccontextmanager
async def a_home(tmp_path: Path, clock: FakeClock | None = None) -> AsyncGenerator[Home]:
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}, clock=clock) as home:
        await home.run('TASK_ADD "Buy milk"', approver=YES)
        yield home


async def tasks(home: Home) -> dict[str, bool]:
    """Return the texts of the person's tasks, as a context shows them: with True for those that are completed."""
    found: tuple[Task, ...] = await home.tools.backend("tasks").reads.all_tasks()
    return {task.text: task.completed_at is not None for task in found}


def states(report: Report) -> list[str]:
    return [str(one.record.state) for one in report.outcomes]


@pytest.mark.req("X-11")
@pytest.mark.parametrize("dialect", DELETE)
async def test_what_was_declined_is_not_proposed_again(dialect: str, tmp_path: Path):
    said = WRAP[dialect](DELETE[dialect].format("Buy milk"))
    async with a_home(tmp_path) as home:
        _, (note,) = await turn(home, dialect, said, NO)
        next_reply = "" if "Do not propose it again unless they ask for it" in note.sentence else said
        report, notes = await turn(home, dialect, next_reply, YES)

        assert (note.kind, states(report), notes) == ("declined", [], ())
        assert await tasks(home) == {"Buy milk": False}


@pytest.mark.req("X-11")
@pytest.mark.parametrize("dialect", DELETE)
async def test_what_expired_is_proposed_again_where_it_is_still_wanted(dialect: str, tmp_path: Path):
    clock = FakeClock()
    said = WRAP[dialect](DELETE[dialect].format("Buy milk"))

    async def a_day_goes_by() -> None:
        clock.advance(hours=25)

    async with a_home(tmp_path, clock) as home:
        _, (note,) = await turn(home, dialect, said, Meanwhile(a_day_goes_by))
        again = said if "Propose it again only if it is still wanted" in note.sentence else ""
        report, notes = await turn(home, dialect, again, YES)

        assert (note.kind, states(report), notes) == ("expired", ["done"], ())


@pytest.mark.req("X-11")
@pytest.mark.parametrize("dialect", DELETE)
async def test_what_failed_is_looked_at_before_it_is_proposed_again(dialect: str, tmp_path: Path):
    said = WRAP[dialect](EDIT[dialect].format("Buy milk", "Buy bread"))
    async with a_home(tmp_path) as home:

        async def somebody_completes_it() -> None:
            await home.run('TASK_COMPLETE "Buy milk"', approver=YES)

        _, (note,) = await turn(home, dialect, said, Meanwhile(somebody_completes_it))
        looked = await tasks(home) if "Look at what is there before you propose it again" in note.sentence else {}
        other = ADD[dialect].format("Buy bread") if looked["Buy milk"] else ""
        report, notes = await turn(home, dialect, WRAP[dialect](other), YES)

        assert (note.kind, states(report), notes) == ("failed", ["done"], ())
        assert await tasks(home) == {"Buy milk": True, "Buy bread": False}


@pytest.mark.req("X-11", "S2-44", "T-18")
@pytest.mark.parametrize("dialect", DELETE)
async def test_what_was_skipped_is_proposed_again_with_what_stood_in_its_way_mended(dialect: str, tmp_path: Path):
    said = WRAP[dialect](EDIT[dialect].format("Buy mlik", "Buy milk today"), DELETE[dialect].format("Buy mlik"))
    async with a_home(tmp_path) as home:
        first, notes = await turn(home, dialect, said, YES)
        missing, skipped = notes
        (close,) = missing.candidates
        mended = "Propose it again when what stood in its way is mended" in skipped.sentence
        report, left = await turn(home, dialect, said.replace("Buy mlik", close.name) if mended else "", YES)

        assert (states(first), [note.kind for note in notes]) == (["failed", "skipped"], ["not_found", "skipped"])
        assert (states(report), left) == (["done", "done"], ())
        assert await tasks(home) == {}


@pytest.mark.req("X-11")
@pytest.mark.parametrize("dialect", DELETE)
async def test_what_is_not_allowed_is_left_and_something_else_proposed(dialect: str, tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/config.toml").write_text('[policy]\nallowed_operations = ["task.[!d]*"]\n')
    said = WRAP[dialect](DELETE[dialect].format("Buy milk"))
    other = WRAP[dialect](EDIT[dialect].format("Buy milk", "No milk"))
    async with a_home(tmp_path) as home:
        _, (note,) = await turn(home, dialect, said, YES)
        report, notes = await turn(home, dialect, other if "Propose something else" in note.sentence else said, YES)

        assert (note.kind, states(report), notes) == ("refused", ["done"], ())
