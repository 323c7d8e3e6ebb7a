"""While a wrapped server works on a call, the agent is told how far it is, and can stop it."""

from functools import partial
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult

from sayso.assembly import Home
from sayso.core.record import Record, State
from sayso.providers.mcp import backend
from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.server import server_of
from tests.mcp_env.wrapped import YES, calls, home_with, told
from tests.patience import patience
from tests.providers.mcp.test_shared import another
from tests.surfaces.mcp.test_every_tool import in_process, over_stdio
from tests.surfaces.mcp.test_gateway_clients import LOCAL, NEVER, connected

Note = tuple[float, float | None, str | None]
CANCELLED = "notifications/cancelled"


async def called(agent: Client, how: str, notes: list[Note]) -> CallToolResult:
    async def tells(progress: float, total: float | None, message: str | None) -> None:
        notes.append((progress, total, message))

    return await agent.call_tool("small_misbehave", {"how": how}, progress_callback=tells)


async def taken_back(home: Home, agent: Client, tmp_path: Path) -> Record:
    """Call a tool that does not end, take the call back, and return its row once it has ended."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(called, agent, "until told", list[Note]())
        with anyio.fail_after(patience()):
            while "misbehave" not in calls(tmp_path):
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    return await ended(home)


async def ended(home: Home) -> Record:
    """Return the latest row once it has ended."""
    with anyio.fail_after(patience()):
        while (record := (await home.log())[0]).state is State.RUNNING:
            await anyio.lowlevel.checkpoint()
        return record
    raise AssertionError


async def test_how_far_a_server_says_it_is_reaches_the_agent_that_asked(tmp_path: Path):
    notes: list[Note] = []

    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, in_process, "legacy") as agent:
        done = await called(agent, "steps", notes)
        await agent.call_tool("small_misbehave", {"how": "steps"})

    assert not done.is_error
    assert [note[:2] for note in notes] == [(1.0, 3.0), (2.0, 3.0), (3.0, 3.0)]
    assert notes[0][2] == "“small_misbehave” says: “part 1\\u{1b}\\u{202e}”"


async def test_what_a_server_says_of_its_progress_counts_as_read_even_if_the_call_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(backend, "LATE_SECONDS", 0)

    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, in_process, "legacy") as agent:
        record = await taken_back(home, agent, tmp_path)
        exposures = await home.journal.exposures()

    assert record.state is State.UNKNOWN
    assert "small.misbehave" in {one.source for one in exposures}


@pytest.mark.parametrize("how", [in_process, pytest.param(over_stdio, marks=pytest.mark.thorough)])
async def test_a_call_that_the_agent_takes_back_is_taken_back_from_the_server_and_its_outcome_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: partial[Client]
):
    monkeypatch.setattr(backend, "LATE_SECONDS", 0)

    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, how, "legacy") as agent:
        record = await taken_back(home, agent, tmp_path)
        then = await agent.call_tool("small_add", {"item": "tea"})

    assert record.state is State.UNKNOWN
    assert "was stopped before it answered because what asked for this took it back" in (record.marks.error or "")
    assert told(tmp_path)[-1] == CANCELLED
    assert not then.is_error
    assert calls(tmp_path) == ["misbehave", "add"]
    assert len(list((tmp_path / "served").glob("started-*"))) == 1


async def test_a_server_that_answers_all_the_same_has_done_it(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home, connected(home, tmp_path, in_process, "legacy") as agent:
        (tmp_path / "served" / "answers").touch()
        record = await taken_back(home, agent, tmp_path)

    assert (record.state, told(tmp_path)[-1]) == (State.DONE, CANCELLED)


async def test_a_call_that_another_process_carries_out_after_the_yes_is_taken_back_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(backend, "LATE_SECONDS", 0)
    found: list[Record] = []

    async with (
        home_with(tmp_path, LOCAL) as home,
        another(tmp_path) as page,
        Client(server_of(Calls(home, 3600)), mode="legacy") as agent,
        anyio.create_task_group() as answering,
    ):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(called, agent, "until told", list[Note]())
            with anyio.fail_after(patience()):
                while not (waiting := await page.pending()):
                    await anyio.lowlevel.checkpoint()
                answering.start_soon(page.approve, waiting[0].id, YES)
                while "misbehave" not in calls(tmp_path):
                    await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        found.append(await ended(home))

    assert [record.state for record in found] == [State.UNKNOWN]
    assert "because what asked for this took it back" in str(found[0].marks.error)
    assert calls(tmp_path) == ["misbehave"]
    assert told(tmp_path)[-1] == CANCELLED
    assert not list((tmp_path / "own" / "locks").glob("stop-*"))


async def test_how_far_a_call_is_that_another_process_carries_out_reaches_the_agent_too(tmp_path: Path):
    notes: list[Note] = []
    sources: set[str] = set()

    async with (
        home_with(tmp_path, LOCAL) as home,
        another(tmp_path) as page,
        Client(server_of(Calls(home, 3600)), mode="legacy") as agent,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(called, agent, "until told", notes)
        with anyio.fail_after(patience()):
            while not (waiting := await page.pending()):
                await anyio.lowlevel.checkpoint()
            tasks.start_soon(page.approve, waiting[0].id, YES)
            while not [note for note in notes if "part 1" in (note[2] or "")]:
                await anyio.lowlevel.checkpoint()
        (tmp_path / "served" / "answers").touch()
        await page.withdraw(waiting[0].id)
        sources |= {one.source for one in await home.journal.exposures()}

    assert "The person decides" in (notes[0][2] or "")
    assert [note[0] for note in notes] == sorted({note[0] for note in notes})
    assert "small.misbehave" in sources
    assert not list((tmp_path / "own" / "locks").glob("told-*"))
