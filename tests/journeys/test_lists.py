"""What a model proposes for the person's lists is bound to what it meant, waits for a yes, and can be taken back."""

import json
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.core.record import State
from sayso.runtime.questions import Client, Nobody
from sayso.runtime.results import Report

YES = Client(lambda question: True)


def block(**action: object) -> str:
    return f"```json-action\n{json.dumps(action)}\n```\n"


async def says(home: Home, *blocks: str) -> Report:
    return await home.run("Sure.\n" + "".join(blocks), "blocks", approver=Nobody())


def opened(base: Path):
    (base / "home").mkdir(exist_ok=True)
    return sayso.open_home(str(base / "sayso"), environ={"HOME": str(base / "home")})


async def texts(home: Home) -> list[str]:
    return [task.text for task in await home.tools.backend("tasks").reads.all_tasks()]


@pytest.mark.req("S2-01", "S2-02", "S2-03", "S2-05", "S2-35")
async def test_nothing_changes_before_the_yes_and_all_comes_back_after_an_undo(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Dinner", label="Add"))).run, YES)
        await home.approve((await says(home, block(type="add_subtask", parentText="dinner", text="Wine"))).run, YES)
        waiting = await says(home, block(type="delete_task", taskText="dinner task", label="Delete"))
        before = await texts(home)
        done = await home.approve(waiting.run, YES)
        after = await texts(home)
        await home.undo(done.run)

        assert [outcome.record.state for outcome in waiting.outcomes] == [State.WAITING]
        assert before == ["Dinner", "Wine"]
        assert after == []
        assert await texts(home) == before


@pytest.mark.req("T-64")
async def test_a_target_is_the_one_that_was_meant_also_when_it_was_renamed(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)
        late = await says(home, block(type="edit_task", taskText="wine", newText="Red wine"))
        await home.approve((await says(home, block(type="edit_task", taskText="wine", newText="Beer"))).run, YES)
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)

        done = await home.approve(late.run, YES)

        assert done.outcomes[0].record.state is State.DONE
        assert await texts(home) == ["Red wine", "Wine"]


@pytest.mark.req("T-64", "S2-41")
async def test_a_target_that_was_completed_meanwhile_is_left_alone(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)
        late = await says(home, block(type="delete_task", taskText="wine"))
        await home.approve((await says(home, block(type="complete_task", taskText="wine"))).run, YES)

        done = await home.approve(late.run, YES)

        assert done.outcomes[0].record.state is State.FAILED
        assert "“Wine” has changed since" in (done.outcomes[0].record.marks.error or "")
        assert await texts(home) == ["Wine"]


@pytest.mark.req("S2-25", "S2-42", "S2-43", "S2-44")
async def test_what_is_completed_or_not_there_waits_for_nobody(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)
        await home.approve((await says(home, block(type="complete_task", taskText="wine"))).run, YES)

        for text, told in (("wine", "completed tasks are read-only"), ("zzz", "No active task matches “zzz”")):
            report = await says(home, block(type="delete_task", taskText=text))

            assert report.outcomes[0].record.state is State.FAILED
            assert told in (report.outcomes[0].record.marks.error or "")
        assert await home.pending() == []


async def test_lists_outlive_the_program(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)

    async with opened(tmp_path) as home:
        assert await texts(home) == ["Wine"]
        await home.undo()
        assert await texts(home) == []
