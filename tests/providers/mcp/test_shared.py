"""A wrapped server is one process for all processes of sayso's that use a home; it ends with the last of them."""

import os
import signal
import socket
import stat
import subprocess
import sys
import tomllib
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import cast

import anyio
import pytest
from anyio import to_thread

import sayso
from sayso.assembly import Home
from sayso.core.ports import BackendContext
from sayso.core.record import State
from sayso.providers.mcp import keeper
from sayso.providers.mcp.backend import WrappedBackend
from sayso.providers.mcp.definitions import kept
from sayso.providers.mcp.model import CallTool
from sayso.providers.mcp.servers import WrappedServer, read_servers
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.fakes import FakeClock
from tests.desktop_env.session import wait_for
from tests.mcp_env.wrapped import YES, accept, call, calls, home_with, result_of, states
from tests.providers.programs.conftest import alive

LOCAL = "local = true\n"
NEVER = '[policy]\nmode = "never"\n'
WORDS = [sys.executable, "-m", "sayso", "run", "--dialect", "tools", "--mode", "never", "-"]
HANGS = '{"name": "small_misbehave", "arguments": {"how": "hang"}}'


def started(tmp_path: Path) -> list[int]:
    return sorted(int(one.name.partition("-")[2]) for one in (tmp_path / "served").glob("started-*"))


@asynccontextmanager
async def another(tmp_path: Path) -> AsyncGenerator[Home]:
    """Open the same home once more, as another process of sayso would."""
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    async with sayso.open_home(str(tmp_path / "own"), environ=environ) as home:
        yield home


@contextmanager
def asking(tmp_path: Path, wish: str) -> Generator[subprocess.Popen[bytes]]:
    """Run a process of sayso that calls a tool."""
    environ = {"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own"), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(WORDS, env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        assert running.stdin is not None
        running.stdin.write(wish.encode())
        running.stdin.close()
        yield running


async def test_all_who_use_a_home_share_one_process_and_the_last_one_ends_it(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as first:
        async with another(tmp_path) as second:
            one = await call(first, "add", YES, item="tea")
            two = await call(second, "add", YES, item="milk")
        (server,) = started(tmp_path)
        still = alive(server)
        three = await call(first, "add", YES, item="bread")

    assert states(one, two, three) == [State.DONE] * 3
    assert (still, alive(server), started(tmp_path)) == (True, False, [server])


async def test_two_that_start_at_once_start_one_and_each_gets_its_own_answers(tmp_path: Path):
    got: list[tuple[str, str]] = []

    async def asks(home: Home, value: str) -> None:
        got.append((value, result_of(await call(home, "echo", YES, value=value))["content"][0]["text"]))

    async with (
        home_with(tmp_path, LOCAL + 'reads = ["echo"]\n', NEVER) as first,
        another(tmp_path) as second,
        anyio.create_task_group() as tasks,
    ):
        for number in range(10):
            tasks.start_soon(asks, first, f"first {number}")
            tasks.start_soon(asks, second, f"second {number}")

    assert len(got) == 20
    assert all(text == f'"{value}"' for value, text in got)
    assert len(started(tmp_path)) == 1


async def test_who_is_killed_during_a_call_costs_only_that_call(tmp_path: Path):
    wish = '{"name": "small_misbehave", "arguments": {"how": "slow"}}'
    async with home_with(tmp_path, LOCAL, NEVER) as home:
        await call(home, "add", YES, item="tea")
        with asking(tmp_path, wish) as other:
            wait_for(lambda: calls(tmp_path)[1:])
            os.kill(other.pid, signal.SIGKILL)
        (tmp_path / "served" / "go on").touch()
        then = await call(home, "echo", YES, value="mine")

    assert states(then) == [State.DONE]
    assert result_of(then)["content"][0]["text"] == '"mine"'
    assert len(started(tmp_path)) == 1
    assert "notifications/cancelled" in (tmp_path / "served" / "told").read_text()


async def test_who_stops_waiting_tells_the_server_and_leaves_it_to_the_others(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home:
        await call(home, "add", YES, item="tea")
        own = backend_of(tmp_path)
        step = CallTool("c", "small", "misbehave", '{"how":"slow"}', own.servers["small"].identity, digest_of(tmp_path))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(own.apply, step, ())
            await to_thread.run_sync(wait_for, lambda: calls(tmp_path)[1:])
            tasks.cancel_scope.cancel()
        (tmp_path / "served" / "go on").touch()
        then = await call(home, "echo", YES, value="mine")
        own.close()

    assert states(then) == [State.DONE]
    assert result_of(then)["content"][0]["text"] == '"mine"'
    assert len(started(tmp_path)) == 1
    assert "notifications/cancelled" in (tmp_path / "served" / "told").read_text()


def backend_of(tmp_path: Path) -> WrappedBackend:
    """Return another backend for the same home."""
    table = tomllib.loads((tmp_path / "own" / "config.toml").read_text())["mcp"]["servers"]
    servers = cast("dict[str, WrappedServer]", read_servers(table))
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    own = str(tmp_path / "own")
    return WrappedBackend(
        servers, BackendContext({}, str(tmp_path), own, (), SystemClock(), RandomIds(), environ=environ)
    )


def digest_of(tmp_path: Path) -> str:
    """Return the digest of the tool that misbehaves."""
    pinned = kept(str(tmp_path / "own"), backend_of(tmp_path).servers["small"])
    assert pinned
    return next(tool.digest for tool in pinned.tools if tool.name == "misbehave")


async def test_a_change_that_another_was_told_of_is_seen_by_all(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as first, another(tmp_path) as second:
        before = await call(second, "echo", YES, value=1)
        await call(first, "misbehave", YES, how="change")
        changed = await call(second, "add", YES, item="tea")

    assert states(before, changed) == [State.DONE, State.REFUSED]


async def test_a_server_that_dies_is_started_anew_for_all(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as first, another(tmp_path) as second:
        await call(second, "add", YES, item="tea")
        lost = await call(first, "misbehave", YES, how="die")
        one = await call(second, "add", YES, item="milk")
        two = await call(first, "add", YES, item="bread")

    assert states(lost, one, two) == [State.UNKNOWN, State.DONE, State.DONE]
    assert len(started(tmp_path)) == 2


async def test_other_settings_are_another_process_and_none_is_left(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as first:
        await call(first, "add", YES, item="tea")
        settings = tmp_path / "own" / "config.toml"
        settings.write_text(settings.read_text().replace('served"]', 'served", "--more"]'))
        accept(tmp_path / "own", tmp_path / "served")
        async with another(tmp_path) as second:
            done = await call(second, "add", YES, item="milk")
            both = started(tmp_path)
            assert all(map(alive, both))

    assert states(done) == [State.DONE]
    assert (len(both), [pid for pid in both if alive(pid)]) == (2, [])


async def test_a_helper_that_is_killed_takes_the_server_with_it_and_the_next_call_starts_both(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        await call(home, "add", YES, item="tea")
        (server,) = started(tmp_path)
        (helper,) = helpers(tmp_path)
        os.kill(helper, signal.SIGKILL)
        wait_for(lambda: not alive(server))
        done = await call(home, "add", YES, item="milk")

    assert states(done) == [State.DONE]
    assert len(started(tmp_path)) == 2


def helpers(tmp_path: Path) -> list[int]:
    """Return the processes of the helper program for this home."""
    place = os.fsencode(tmp_path / "own" / "run")
    lines = {int(one.name): one for one in Path("/proc").iterdir() if one.name.isdecimal()}
    return [pid for pid, one in lines.items() if words_of(one)[3:5] == [os.fsencode(keeper.__file__), place]]


def words_of(process: Path) -> list[bytes]:
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


async def test_only_this_user_reaches_the_server(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        await call(home, "add", YES, item="tea")
        folder = tmp_path / "own" / "run"
        (place,) = (one for one in folder.iterdir() if one.is_socket())
        modes = [stat.S_IMODE(one.stat().st_mode) for one in (folder, *folder.iterdir())]

    assert modes == [0o700, *[0o600] * (len(modes) - 1)]
    wait_for(lambda: not place.exists() and not helpers(tmp_path))


async def test_a_stranger_is_not_served_and_who_speaks_out_of_turn_is_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with keeper_of(tmp_path, FakeClock()) as lender:
        monkeypatch.setattr(keeper, "peer_of", other_user)
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(tmp_path / "s"))
            lender.accept()
            refused = (line.recv(1), dict(lender.clients))
        monkeypatch.undo()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(tmp_path / "s"))
            lender.accept()
            (client,) = lender.clients.values()
            line.sendall(keeper.HEAD.pack(b"D", 3) + b"{}\n")
            lender.hear(client)
            unheard = line.recv(1)

    assert (refused, unheard, lender.server) == ((b"", {}), b"", None)


def other_user(_: socket.socket) -> int:
    return os.geteuid() + 1


@contextmanager
def keeper_of(tmp_path: Path, clock: FakeClock) -> Generator[keeper.Keeper]:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        lender = keeper.Keeper(listening, ["/bin/cat"], lambda: None, clock.monotonic)
        yield lender
        lender.end_server()
        for client in lender.clients.values():
            client.connection.close()


def comes(lender: keeper.Keeper, tmp_path: Path) -> socket.socket:
    """Connect to the helper program as one more process that wants its turn."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(tmp_path / "s"))
    lender.accept()
    says(lender, line, b"W")
    return line


def says(lender: keeper.Keeper, line: socket.socket, kind: bytes) -> None:
    """Send a frame to the helper program, and let it read that."""
    line.sendall(keeper.HEAD.pack(kind, 0))
    lender.hear([*lender.clients.values()][-1 if kind == b"W" else 0])


def frames(line: socket.socket) -> bytes:
    """Return the kinds of the frames that came to a process."""
    data, kinds = line.recv(4096, socket.MSG_DONTWAIT), b""
    while data:
        kind, size = keeper.HEAD.unpack_from(data)
        kinds, data = kinds + kind, data[keeper.HEAD.size + size :]
    return kinds


def test_a_process_that_is_stopped_in_its_turn_loses_it_to_those_who_wait(tmp_path: Path):
    clock = FakeClock()
    with keeper_of(tmp_path, clock) as lender, comes(lender, tmp_path) as first:
        alone = lender.patience()
        with comes(lender, tmp_path) as second:
            clock.advance(seconds=keeper.QUIET_SECONDS / 2)
            lender.hold_to_lease()
            before = frames(first)
            clock.advance(seconds=keeper.QUIET_SECONDS / 2)
            lender.hold_to_lease()
            asked = frames(first)
            clock.advance(seconds=keeper.LEASE_SECONDS)
            lender.hold_to_lease()
            after = (first.recv(1), frames(second))

    assert alone == -1
    assert (before, asked, after) == (b"T", b"P", (b"", b"T"))


def test_a_process_that_says_that_it_is_there_keeps_its_turn(tmp_path: Path):
    clock = FakeClock()
    with keeper_of(tmp_path, clock) as lender, comes(lender, tmp_path) as first, comes(lender, tmp_path):
        holder = lender.holder
        for _ in range(3):
            clock.advance(seconds=keeper.QUIET_SECONDS)
            lender.hold_to_lease()
            clock.advance(seconds=keeper.LEASE_SECONDS / 2)
            says(lender, first, b"P")
        kept = (frames(first), lender.holder)

    assert kept == (b"TPPP", holder)


@pytest.mark.thorough
async def test_others_go_on_while_a_process_is_stopped_in_its_turn_and_its_call_is_unknown(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home:
        await call(home, "add", YES, item="tea")
        with asking(tmp_path, '{"name": "small_misbehave", "arguments": {"how": "until told"}}') as other:
            wait_for(lambda: calls(tmp_path)[1:])
            os.kill(other.pid, signal.SIGSTOP)
            then = await call(home, "echo", YES, value="mine")
            os.kill(other.pid, signal.SIGCONT)
        ended = [record for record in await home.log() if record.operation == "small.misbehave"]

    assert states(then) == [State.DONE]
    assert [record.state for record in ended] == [State.UNKNOWN]
    assert calls(tmp_path) == ["add", "misbehave", "echo"]
    assert len(started(tmp_path)) == 1


@pytest.mark.thorough
async def test_a_call_that_takes_long_keeps_its_turn_though_others_wait(tmp_path: Path):
    async with home_with(tmp_path, LOCAL, NEVER) as home:
        await call(home, "add", YES, item="tea")
        with asking(tmp_path, '{"name": "small_misbehave", "arguments": {"how": "slow"}}'):
            wait_for(lambda: calls(tmp_path)[1:])
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call, home, "echo", YES)
                await anyio.sleep(keeper.QUIET_SECONDS + keeper.LEASE_SECONDS + 1)
                (tmp_path / "served" / "go on").touch()
        ended = [record for record in await home.log() if record.operation == "small.misbehave"]

    assert [record.state for record in ended] == [State.DONE]
