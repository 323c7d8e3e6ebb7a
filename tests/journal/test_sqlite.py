"""Callers that come at the same time share one commit; a lone one waits for nobody; nobody is forgotten."""

from collections.abc import Sequence

import anyio
import pytest
from anyio.lowlevel import checkpoint

from sayso.core.errors import SetupError, Stale
from sayso.journal.sqlite import GroupCommit


class Desk:
    """Notes what was written together; a work that says “stale” is stale, “bug” breaks the whole."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.lasting: list[bool] = []
        self.locked = False
        self.gate: anyio.Event | None = None
        self.together: GroupCommit[str] = GroupCommit(
            self.begin, self.write, lasts=lambda work: not work.startswith("read")
        )

    async def begin(self, *, lasting: bool) -> None:
        """Wait at the gate, or fail."""
        self.lasting.append(lasting)
        if self.gate:
            await self.gate.wait()
        if self.locked:
            raise SetupError("locked", "journal.locked")

    def write(self, works: Sequence[str]) -> Sequence[BaseException | None]:
        """Note them."""
        if "bug" in works:
            raise ZeroDivisionError
        self.groups.append(list(works))
        return [Stale() if "stale" in work else None for work in works]


async def test_a_lone_caller_writes_at_once_without_giving_way():
    desk, others = Desk(), list[str]()

    async def other() -> None:
        others.append("ran")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        for name in "abc":
            await desk.together.take(name)
        assert others == []

    assert desk.groups == [["a"], ["b"], ["c"]]


async def test_eight_callers_share_commits():
    desk = Desk()

    async def caller(name: str) -> None:
        for turn in range(3):
            await desk.together.take(f"{name}{turn}")
            await checkpoint()

    async with anyio.create_task_group() as tasks:
        for name in "abcdefgh":
            tasks.start_soon(caller, name)

    assert sorted(work for group in desk.groups for work in group) == [f"{n}{t}" for n in "abcdefgh" for t in range(3)]
    assert len(desk.groups) <= 6
    assert max(map(len, desk.groups)) == 8


async def test_what_must_last_is_never_in_a_commit_that_need_not():
    desk = Desk()
    desk.gate = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.together.take, "read one")
        await anyio.wait_all_tasks_blocked()
        for late in ("read two", "must last"):
            tasks.start_soon(desk.together.take, late)
        await anyio.wait_all_tasks_blocked()
        desk.gate.set()

    assert desk.groups == [["read one", "read two"], ["must last"]]
    assert desk.lasting == [False, True]


async def test_each_caller_is_told_its_own_failure():
    desk, told = Desk(), dict[str, str]()

    async def caller(name: str) -> None:
        try:
            await desk.together.take(name)
        except Stale:
            told[name] = "stale"
        else:
            told[name] = "written"

    await desk.together.take("first")
    async with anyio.create_task_group() as tasks:
        for name in ("a", "b stale", "c"):
            tasks.start_soon(caller, name)

    assert told == {"a": "written", "b stale": "stale", "c": "written"}


@pytest.mark.parametrize("what", ["locked", "bug"])
async def test_when_nothing_can_be_written_everybody_is_told(what: str):
    desk, told = Desk(), list[str]()
    await desk.together.take("first")
    desk.locked = what == "locked"

    async def caller(name: str) -> None:
        try:
            await desk.together.take(name)
        except (SetupError, ZeroDivisionError) as failure:
            told.append(type(failure).__name__)

    async with anyio.create_task_group() as tasks:
        for name in ("a", what, "c"):
            tasks.start_soon(caller, name)

    assert told == ["SetupError" if what == "locked" else "ZeroDivisionError"] * 3
    desk.locked = False
    await desk.together.take("after")
    assert desk.groups == [["first"], ["after"]]


@pytest.mark.parametrize("cancelled", ["a", "b", "c"])
async def test_a_cancelled_caller_writes_nothing_and_the_others_go_on(cancelled: str):
    desk = Desk()
    desk.gate = anyio.Event()
    scopes = {name: anyio.CancelScope() for name in "abc"}

    async def caller(name: str) -> None:
        with scopes[name]:
            await desk.together.take(name)

    async with anyio.create_task_group() as tasks:
        for name in "abc":
            tasks.start_soon(caller, name)
        await anyio.wait_all_tasks_blocked()
        scopes[cancelled].cancel()
        await anyio.wait_all_tasks_blocked()
        desk.gate.set()

    assert sorted(work for group in desk.groups for work in group) == sorted({"a", "b", "c"} - {cancelled})
    await desk.together.take("after")
    assert desk.groups[-1] == ["after"]


async def test_all_cancelled_at_once_leaves_nobody_leading():
    desk = Desk()
    desk.gate = anyio.Event()
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            for name in "abc":
                tasks.start_soon(desk.together.take, name)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()

    desk.gate.set()
    await desk.together.take("after")
    assert desk.groups == [["after"]]
