"""What is launched stays, and has nothing of ours."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.programs.call import Call
from sayso.providers.programs.launching import launch
from sayso.providers.programs.running import Runner
from sayso.runtime.ids import RandomIds
from tests.desktop_env.session import wait_for


@pytest.fixture
def runner() -> Runner:
    return Runner({**os.environ, "SAYSO_HOME": "/h", "MARKED": "yes"}, RandomIds())


@pytest.fixture
def ends() -> Iterator[list[int]]:
    """End the processes that a test puts here."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.req("X-07")
async def test_it_is_nobodys_child_and_holds_nothing_open(runner: Runner, ends: list[int], tmp_path: Path):
    ends.append(pid := await launch(runner, Call("sleep", values=("60",), whole=True, folder=str(tmp_path))))

    status = Path(f"/proc/{pid}/status").read_text()
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert f"PPid:\t{os.getpid()}" not in status
    assert os.getsid(pid) == pid
    assert {str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()} == {"/dev/null"}
    assert Path(f"/proc/{pid}/cwd").readlink() == tmp_path
    assert b"MARKED=yes" in environment
    assert not [entry for entry in environment if entry.startswith(b"SAYSO_")]


async def test_it_reads_what_it_is_given(runner: Runner, tmp_path: Path):
    target = tmp_path / "got"

    await launch(runner, Call("sh", ("-c", 'cat >"$1.new"; mv "$1.new" "$1"', "sh"), (str(target),), data=b"\0words"))

    wait_for(target.exists)
    assert target.read_bytes() == b"\0words"


@pytest.mark.req("T-23", "X-05")
async def test_what_is_not_there_or_does_not_start_is_said(runner: Runner, tmp_path: Path):
    odd = tmp_path / "odd"
    odd.write_text("#!/nowhere/interpreter\n")
    odd.chmod(0o755)

    with pytest.raises(SetupError, match="nothing-of-this-name not found"):
        await launch(runner, Call("nothing-of-this-name"))
    with pytest.raises(ProviderError, match="odd could not be started: No such file"):
        await launch(runner, Call(str(odd)))


@pytest.mark.req("X-07", "AP-02")
async def test_a_value_that_looks_like_an_option_is_refused(runner: Runner):
    with pytest.raises(ProviderError, match="would be taken for an option of sleep"):
        await launch(runner, Call("sleep", values=("--remote-debugging-port=1",)))
