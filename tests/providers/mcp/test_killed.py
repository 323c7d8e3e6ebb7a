"""If sayso dies during a call of another server's tool, the call counts as unknown, and is not done again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import sayso
from sayso.core.record import State
from tests.desktop_env.session import wait_for
from tests.mcp_env.wrapped import calls, home_with
from tests.providers.programs.conftest import alive

CALL = '{"name": "small_misbehave", "arguments": {"how": "hang"}}'
WORDS = [sys.executable, "-m", "sayso", "run", "--dialect", "tools", "--mode", "never", "-"]


def dies_during_the_call(tmp_path: Path, environ: dict[str, str]) -> int:
    """Let sayso call the tool, kill it before the answer, and return the process of the server."""
    with subprocess.Popen(WORDS, env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        assert running.stdin is not None
        running.stdin.write(CALL.encode())
        running.stdin.close()
        wait_for(lambda: calls(tmp_path))
        os.kill(running.pid, signal.SIGKILL)
    (started,) = (tmp_path / "served").glob("started-*")
    return int(started.name.partition("-")[2])


async def test_a_death_during_a_call_leaves_it_unknown_and_nothing_calls_it_again(tmp_path: Path):
    async with home_with(tmp_path, "local = true\n", '[policy]\nmode = "never"\n'):
        environ = {"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own"), "PATH": "/usr/bin:/bin"}
    server = dies_during_the_call(tmp_path, environ)

    wait_for(lambda: not alive(server))
    async with sayso.open_home(str(tmp_path / "own"), environ=environ) as home:
        (record,) = await home.log()
        await home.pending()
    async with sayso.open_home(str(tmp_path / "own"), environ=environ) as home:
        (again,) = await home.log()

    assert (record.state, again.state) == (State.UNKNOWN, State.UNKNOWN)
    assert "a call leaves nothing here by which one could see whether it was done" in (again.marks.error or "")
    assert calls(tmp_path) == ["misbehave"]
    assert len(list((tmp_path / "served").glob("started-*"))) == 1
