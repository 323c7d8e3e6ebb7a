"""Habits come back with their place, their times and their history."""

from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.sqlite.backend import build
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.tasks import reads


@pytest.mark.req("S2-06", "S2-07", "S2-09", "S2-35", "T-71")
async def test_a_deleted_habit_comes_back_to_its_place_with_its_history(tmp_path: Path):
    clock = FakeClock()
    trial = Trial(TASKS, build(Ground({}, "/home/ana", str(tmp_path), (), clock, RandomIds())))
    for text, hours in (("Walk", 24), ("Sit", 4), ("Read", 168)):
        await trial.do(await trial.plan("habit.add", text=text, interval_hours=hours))
    for _ in range(3):
        clock.advance(hours=5)
        await trial.do(await trial.plan("habit.log", target="sit"))
    before = await reads(trial).all_habits()
    history = await reads(trial).habit_history(before[1].id)
    plan = await trial.plan("habit.delete", target="sit")

    lefts = await trial.do(plan)

    assert plan.summary == "Delete the habit “Sit” with the 3 times it was done"
    assert [habit.text for habit in await reads(trial).all_habits()] == ["Walk", "Read"]
    await trial.take_back(plan, lefts)
    assert await reads(trial).all_habits() == before
    assert await reads(trial).habit_history(before[1].id) == history
    assert [done.at for done in history] == [
        "2026-03-14T17:00:00Z",
        "2026-03-14T22:00:00Z",
        "2026-03-15T03:00:00Z",
    ]
    assert before[1].last_done_at == history[-1].at


@pytest.mark.req("T-63")
async def test_a_habit_that_was_done_since_is_not_taken_away(tmp_path: Path):
    trial = Trial(TASKS, build(Ground({}, "/home/ana", str(tmp_path), (), FakeClock(), RandomIds())))
    plan = await trial.plan("habit.add", text="Walk", interval_hours=24)
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("habit.log", target="Walk"), 1)

    no = await refusal_of(trial.take_back(plan, lefts))

    assert "was done since" in str(no)
