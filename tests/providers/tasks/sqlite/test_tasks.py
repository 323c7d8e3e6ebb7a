"""Tasks and habits in a database."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import SaysoError
from sayso.core.plan import Applied, Plan
from sayso.core.ports import Backend, BackendContext
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.memory import memory_backend, parse_world
from sayso.providers.tasks.sqlite.backend import build
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.tasks import reads

NAMES = st.sampled_from(["Wine", "Bread", "wine", "Red wine", "вино", "買う"])
HOURS = st.sampled_from([0.5, 4, 24])


class Deed(NamedTuple):
    """One operation, planned; a few deeds are planned before an earlier one was done, or taken back later."""

    operation: str
    arguments: dict[str, object]
    late: bool = False


class Back(NamedTuple):
    """The wish to take back what was done as number `which`."""

    which: int


def deed(operation: str, **arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Deed]:
    return st.builds(Deed, st.just(operation), st.fixed_dictionaries(arguments), st.booleans())


DEEDS = st.lists(
    st.one_of(
        deed("task.add", text=NAMES),
        deed("task.add_subtask", parent=NAMES, text=NAMES),
        deed("task.edit", target=NAMES, new_text=NAMES),
        deed("task.delete", target=NAMES),
        deed("task.complete", target=NAMES),
        deed("task.reopen", target=NAMES),
        deed("task.move", target=NAMES, where=st.sampled_from(["below", "before", "after"]), other=NAMES),
        deed("task.move", target=NAMES, where=st.just("top")),
        deed("task.add_all", texts=st.lists(NAMES, min_size=2, max_size=2), levels=st.sampled_from([[0, 1], [0, 0]])),
        deed("habit.add", text=NAMES, interval_hours=HOURS),
        deed("habit.edit", target=NAMES, new_text=NAMES, interval_hours=HOURS),
        deed("habit.delete", target=NAMES),
        deed("habit.log", target=NAMES),
        st.builds(Back, st.integers(0, 20)),
    ),
    max_size=20,
)


class Hands:
    """Does deeds on one backend, and keeps what became of each."""

    def __init__(self, backend: Backend, clock: FakeClock) -> None:
        self.trial = Trial(TASKS, backend)
        self.clock = clock
        self.done: list[tuple[Plan, tuple[Applied, ...]]] = []
        self.waiting: list[Plan] = []
        self.said: list[str] = []

    async def take(self, deed: Deed | Back) -> None:
        """Do it, or keep it for the next turn; a refusal is kept by its words."""
        self.clock.advance(minutes=1)
        try:
            if isinstance(deed, Back):
                await self._back(deed.which)
                return
            plan = await self.trial.plan(deed.operation, **deed.arguments)
            self.waiting.append(plan)
            if not deed.late:
                await self._all()
        except SaysoError as no:
            self.waiting.clear()
            self.said.append(str(no))

    async def _all(self) -> None:
        for plan in self.waiting:
            self.done.append((plan, await self.trial.do(plan, len(self.done))))
        self.waiting.clear()

    async def _back(self, which: int) -> None:
        if which < len(self.done):
            await self.trial.take_back(*self.done[which])

    async def state(self) -> list[object]:
        """Return all that can be seen."""
        seen = reads(self.trial)
        habits = await seen.all_habits()
        histories = [await seen.habit_history(habit.id) for habit in habits]
        return [await seen.all_tasks(), habits, histories, [left for _, left in self.done], self.said]


@pytest.mark.req("S2-35", "T-61", "T-63", "T-64", "X-17")
@settings(max_examples=60, deadline=None)
@given(DEEDS)
def test_the_database_and_the_memory_agree(deeds: Sequence[Deed | Back]):
    async def both() -> None:
        clocks, ids = (FakeClock(), FakeClock()), (NumberedIds(), NumberedIds())
        with TemporaryDirectory() as folder:
            lists = build(BackendContext({}, "/home/ana", str(Path(folder)), (), clocks[0], ids[0]))
            ours = Hands(lists, clocks[0])
            theirs = Hands(memory_backend(clocks[1], ids[1], parse_world({}), lasting=True), clocks[1])
            for each in deeds:
                await ours.take(each)
                await theirs.take(each)
                assert await ours.state() == await theirs.state()
            lists.close()

    anyio.run(both)


@pytest.mark.req("S2-06", "S2-07", "S2-09", "S2-35", "T-71")
async def test_a_deleted_habit_comes_back_to_its_place_with_its_history(tmp_path: Path):
    clock = FakeClock()
    trial = Trial(TASKS, build(BackendContext({}, "/home/ana", str(tmp_path), (), clock, RandomIds())))
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
    trial = Trial(TASKS, build(BackendContext({}, "/home/ana", str(tmp_path), (), FakeClock(), RandomIds())))
    plan = await trial.plan("habit.add", text="Walk", interval_hours=24)
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("habit.log", target="Walk"), 1)

    no = await refusal_of(trial.take_back(plan, lefts))

    assert "was done since" in str(no)
