"""The person stops a call that a wrapped server works on: the server is told, and what is not known is not guessed."""

import os
import signal
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from sayso.assembly import Home
from sayso.core.errors import ProviderError
from sayso.core.record import Record, State
from sayso.core.step_watch import WATCH, Unwatched
from sayso.providers.mcp import backend
from sayso.providers.mcp.model import CallTool
from sayso.runtime.results import Outcome
from sayso.runtime.services import STOPPING, StopSign
from tests.desktop_env.session import wait_for
from tests.mcp_env.wrapped import YES, call, calls, home_with, states, told
from tests.providers.mcp.test_shared import LOCAL, NEVER, asking, backend_of, digest_of

UNTIL_TOLD = '{"name": "small_misbehave", "arguments": {"how": "until told"}}'
CANCELLED = "notifications/cancelled"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no late answer."""
    monkeypatch.setattr(backend, "LATE_SECONDS", 0)


async def stopped_call(home: Home, tmp_path: Path) -> Record:
    """Call a tool that does not end, stop the run as the page does once the tool was called, and return the row."""
    token = STOPPING.set(StopSign(lambda: "misbehave" in calls(tmp_path)))
    outcome = await call(home, "misbehave", YES, how="until told")
    STOPPING.reset(token)
    await server_was_told(tmp_path)
    return outcome.record


async def server_was_told(tmp_path: Path) -> None:
    await to_thread.run_sync(wait_for, lambda: told(tmp_path)[-1] == CANCELLED)


async def test_stopping_the_run_takes_the_call_back_from_the_server(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home:
        record = await stopped_call(home, tmp_path)
        then = await call(home, "add", YES, item="tea")

    assert record.state is State.UNKNOWN
    assert "was stopped before it answered because you stopped the run" in str(record.marks.error)
    assert states(then) == [State.DONE]
    assert calls(tmp_path) == ["misbehave", "add"]


async def test_a_tool_that_only_reads_has_failed_when_it_is_stopped_and_nothing_is_in_doubt(tmp_path: Path):
    async with home_with(tmp_path, LOCAL + 'reads = ["misbehave"]\n', NEVER) as home:
        record = await stopped_call(home, tmp_path)

    assert (record.state, record.marks.code) == (State.FAILED, "stopped")


async def test_the_brake_stops_a_call_that_another_process_has_begun(tmp_path: Path):
    settings = tmp_path / "own" / "config.toml"
    found: list[Outcome] = []

    async with home_with(tmp_path, LOCAL, NEVER) as home, anyio.create_task_group() as tasks:
        tasks.start_soon(called, home, found)
        await to_thread.run_sync(wait_for, lambda: calls(tmp_path))
        settings.write_text(settings.read_text().replace("[policy]", "[policy]\npaused = true"))
        await server_was_told(tmp_path)

    assert states(*found) == [State.UNKNOWN]
    assert "because sayso was paused" in str(found[0].record.marks.error)


async def called(home: Home, found: list[Outcome]) -> None:
    found.append(await call(home, "misbehave", YES, how="until told"))


class AtOnce(Unwatched, frozen=True):
    """Stops a step at the first look."""

    def stops(self) -> str:
        return "you stopped the run"


async def test_who_is_stopped_while_another_uses_the_server_has_called_nothing(tmp_path: Path):
    over = anyio.Event()
    token = STOPPING.set(StopSign(over.is_set))
    async with home_with(tmp_path, LOCAL, NEVER) as home, anyio.create_task_group() as tasks:
        tasks.start_soon(called, home, list[Outcome]())
        await to_thread.run_sync(wait_for, lambda: calls(tmp_path))
        second = backend_of(tmp_path)
        step = CallTool("c", "small", "misbehave", "{}", second.servers["small"].identity, digest_of(tmp_path))
        watch = WATCH.set(AtOnce())
        with pytest.raises(ProviderError, match="stopped because you stopped the run; nothing was called"):
            await second.apply(step, ())
        WATCH.reset(watch)
        over.set()
        second.close()
    STOPPING.reset(token)

    assert calls(tmp_path) == ["misbehave"]


@pytest.mark.thorough
async def test_ctrl_c_at_a_terminal_takes_the_call_back_from_the_server(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home:
        await call(home, "add", YES, item="tea")
        with asking(tmp_path, UNTIL_TOLD) as other:
            wait_for(lambda: calls(tmp_path)[1:])
            os.kill(other.pid, signal.SIGINT)
        await server_was_told(tmp_path)
        (record, *_) = await home.log()

    assert record.state is State.UNKNOWN
