"""Proposals of a chat reply become what a person decides about, one by one, whatever they are labelled."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.providers.tasks.lists import Habit, Task
from sayso.runtime.questions import Client
from tests.journeys.following import block

YES = Client(lambda question: True)


class Looks:
    """A person who looks at the question and does not answer now."""

    def __init__(self) -> None:
        self.seen: list[Question] = []

    async def ask(self, question: Question) -> Decision | None:
        self.seen.append(question)
        return None


@asynccontextmanager
async def a_home(tmp_path: Path, *tasks: str) -> AsyncGenerator[Home]:
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home:
        for task in tasks:
            await home.run(f'TASK_ADD "{task}"', approver=YES)
        yield home


async def lists(home: Home) -> tuple[list[str], list[tuple[str, float]]]:
    reads = home.tools.backend("tasks").reads
    tasks: tuple[Task, ...] = await reads.all_tasks()
    habits: tuple[Habit, ...] = await reads.all_habits()
    return [task.text for task in tasks], [(habit.text, habit.interval_hours) for habit in habits]


@pytest.mark.req("S2-21", "S2-01")
async def test_a_proposal_holds_the_id_of_the_task_it_means(tmp_path: Path):
    async with a_home(tmp_path, "Buy wine for dinner", "Call Ana") as home:
        tasks: tuple[Task, ...] = await home.tools.backend("tasks").reads.all_tasks()
        reply = block('{"type": "delete_task", "taskText": "wine task"}')
        report = await home.run(reply, "blocks")

        (meant,) = [task.id for task in tasks if task.text == "Buy wine for dinner"]
        plan: Any = report.outcomes[0].record.plan
        assert [meant in str(change["do"]) for change in plan["changes"]] == [True]
        assert home.read(reply, "blocks").text.strip() == "Sure."
        assert (await lists(home))[0] == ["Buy wine for dinner", "Call Ana"]


@pytest.mark.req("S2-40")
async def test_what_people_ask_for_leads_to_the_right_proposals(tmp_path: Path):
    reply = block(
        '{"type": "delete_task", "taskText": "wine task", "label": "Delete \'wine task\'"}',
        '{"type": "add_habit", "text": "Meditation", "repeatIntervalHours": 4}',
        '{"type": "edit_task", "taskText": "Hire VP", "newText": "Hire VP of Sales"}',
    )
    async with a_home(tmp_path, "Buy wine", "Hire VP") as home:
        report = await home.run(reply, "blocks")
        for waiting in await home.pending():
            await home.approve(waiting.id, YES)

        assert [one.record.operation for one in report.outcomes] == ["task.delete", "habit.add", "task.edit"]
        assert await lists(home) == (["Hire VP of Sales"], [("Meditation", 4)])


@pytest.mark.req("S2-29", "S2-31", "S2-32")
async def test_each_is_decided_for_itself_in_any_order_and_done_at_once(tmp_path: Path):
    reply = block(*(f'{{"type": "add_task", "text": "{name}"}}' for name in ("one", "two", "three")))
    async with a_home(tmp_path) as home:
        ids = [outcome.record.id for outcome in (await home.run(reply, "blocks")).outcomes]
        seen: list[tuple[list[str], int]] = []
        for number in (2, 0, 1):
            await home.approve(ids[number], YES)
            seen.append(((await lists(home))[0], len(await home.pending())))

        assert seen == [(["three"], 2), (["three", "one"], 1), (["three", "one", "two"], 0)]


@pytest.mark.req("T-69")
@pytest.mark.parametrize("label", ["Add milk", "", None])
async def test_what_is_asked_follows_the_deed_and_not_its_label(label: str | None, tmp_path: Path):
    told = "" if label is None else f', "label": "{label}"'
    looks = Looks()
    async with a_home(tmp_path, "Buy wine") as home:
        await home.run(block(f'{{"type": "delete_task", "taskText": "Buy wine"{told}}}'), "blocks", approver=looks)

        ((card,),) = [question.cards for question in looks.seen]
        assert (card.operation, card.plan.summary) == ("task.delete", "Delete “Buy wine”")
        assert card.verdict.ruling == "ask"
        assert (card.label or "") != card.plan.summary


@pytest.mark.req("S2-48")
async def test_a_rename_shows_the_old_and_the_new_text_before_it_is_done(tmp_path: Path):
    looks = Looks()
    async with a_home(tmp_path, "Hire VP") as home:
        edit = block('{"type": "edit_task", "taskText": "Hire VP", "newText": "Hire CFO"}')
        await home.run(edit, "blocks", approver=looks)

        assert looks.seen[0].cards[0].plan.summary == "Rename “Hire VP” to “Hire CFO”"


@pytest.mark.req("T-70", "T-60", "X-11")
async def test_an_edit_that_changes_nothing_is_dropped_and_the_model_is_told(tmp_path: Path):
    reply = block(
        '{"type": "edit_task", "taskText": "Trip", "newText": " Trip "}',
        '{"type": "edit_habit", "habitText": "Walk", "newText": "Walk", "repeatIntervalHours": 4}',
        '{"type": "edit_task", "taskText": "Trip", "newText": "Holiday"}',
    )
    async with a_home(tmp_path, "Trip") as home:
        await home.run('HABIT_ADD "Walk" 4', approver=YES)
        report = await home.run(reply, "blocks")
        told = home.results_for(report)
        noted = home.notes_for(home.read(reply, "blocks"), report)

        assert [waiting.index for waiting in await home.pending()] == [2]
        assert [(one["applied"], one["failed"], one["error"]) for one in told[:2]] == [(False, False, None)] * 2
        assert [(note.kind, note.index) for note in noted] == [("unchanged", 0), ("unchanged", 1)]
        assert noted[0].sentence.startswith("The task is already called “Trip”. ")
        assert noted[1].sentence.startswith("The habit “Walk” is already like that, every 4 hours. ")
