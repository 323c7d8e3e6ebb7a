"""What may run long ends with sayso, however sayso ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.programs import detach
from sayso.providers.programs.run import STARTED, ProgramCall, ProgramRunner
from sayso.runtime.system import RandomIds
from tests.descriptors import open_descriptors
from tests.desktop_env.session import wait_for
from tests.providers.programs.passing import too_late_once

RUNS = """
import os, sys, anyio
from sayso.providers.programs.run import ProgramCall, ProgramRunner
from sayso.runtime.system import RandomIds
call = ProgramCall("sh", ("-c", sys.argv[1], "sh", sys.argv[2]), seconds=60, kept=True)
anyio.run(ProgramRunner(os.environ, RandomIds(), 0.1).run, call)
"""
POLITE_SECONDS = 0.1
"""How long a stubborn program is waited for."""
LASTS = """
trap '' TERM
sleep 300 & echo $! >"$1/child"
setsid sleep 300 & echo $! >"$1/away"
echo $$ >"$1/itself"
: >"$1/ready"
wait; wait
"""


def a_runner() -> ProgramRunner:
    return ProgramRunner(os.environ, RandomIds(), POLITE_SECONDS)


def kept(script: str, *values: str) -> ProgramCall:
    return ProgramCall("sh", ("-c", script, "sh"), values, seconds=20, kept=True)


def alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.req("X-13", "AP-05")
def test_when_sayso_is_killed_nothing_of_it_runs_on(tmp_path: Path):
    sayso = subprocess.Popen([sys.executable, "-c", RUNS, LASTS, str(tmp_path)])
    wait_for((tmp_path / "ready").exists)
    pids = [int((tmp_path / name).read_text()) for name in ("child", "away", "itself")]
    assert all(map(alive, pids))

    os.kill(sayso.pid, signal.SIGKILL)
    sayso.wait()

    wait_for(lambda: not any(map(alive, pids)), "the end of what was started")


@pytest.mark.req("X-13", "T-25")
async def test_at_its_limit_it_is_ended_like_any_other(tmp_path: Path):
    async with too_late_once((tmp_path / "ready").exists):
        with pytest.raises(ProviderError, match="did not end within"):
            await a_runner().run(kept(LASTS, str(tmp_path)))

    pids = [int((tmp_path / name).read_text()) for name in ("child", "away", "itself")]
    assert not any(map(alive, pids))


async def test_its_words_its_output_and_its_end_are_its_own():
    done = await a_runner().run(
        ProgramCall("sh", ("-c", 'cat; echo "$1" >&2; exit 7', "sh", "-x"), data=b"in", kept=True)
    )

    assert (done.output, done.errors, done.code) == (b"in", b"-x\n", 7)


async def test_the_signal_that_ended_it_is_told():
    assert (await a_runner().run(kept("kill -9 $$"))).code == -9
    assert (await a_runner().run(kept("kill -TERM $$"))).code == -15


async def test_it_has_none_of_our_files():
    done = await a_runner().run(kept("ls /proc/$$/fd"))

    assert done.text.split() == ["0", "1", "2"]


async def test_what_does_not_start_is_said(tmp_path: Path):
    odd = tmp_path / "odd"
    odd.write_text("#!/nowhere/interpreter\n")
    odd.chmod(0o755)

    with pytest.raises(ProviderError, match="odd failed: odd could not be started: No such file or directory"):
        await a_runner().run_for_text(ProgramCall(str(odd), kept=True))


async def test_nothing_stays_open():
    before = open_descriptors()

    await a_runner().run(kept("true"))

    assert open_descriptors() <= before


async def test_its_file_is_there_while_it_runs_and_never_afterwards(tmp_path: Path):
    file = str(tmp_path / "file")
    call = ProgramCall("sh", ("-c", 'stat -c %a "$1"; cat "$1"', "sh", file), kept=True, file=file, filed=b"words" * 99)

    done = await a_runner().run(call)

    assert done.output == b"600\n" + b"words" * 99
    assert not Path(file).exists()
    with pytest.raises(ProviderError):
        await a_runner().run(
            ProgramCall("sh", ("-c", "trap '' TERM; while :; do sleep 9; done"), kept=True, file=file, seconds=0.1)
        )
    assert not Path(file).exists()


async def test_a_file_of_somebody_else_is_not_written_over(tmp_path: Path):
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "file").symlink_to(target)

    done = await a_runner().run(ProgramCall("true", kept=True, file=str(tmp_path / "file"), filed=b"words"))

    assert done.code != 0
    assert target.read_text() == "mine"


def test_when_sayso_is_killed_the_file_goes_too(tmp_path: Path):
    runs = RUNS.replace("kept=True", f"kept=True, file={str(tmp_path / 'file')!r}, filed=b'secret'")
    sayso = subprocess.Popen([sys.executable, "-c", runs, LASTS, str(tmp_path)])
    wait_for((tmp_path / "ready").exists)
    assert (tmp_path / "file").read_text() == "secret"

    os.kill(sayso.pid, signal.SIGKILL)
    sayso.wait()

    wait_for(lambda: not (tmp_path / "file").exists(), "the end of the file")


def test_it_tells_why_something_does_not_start():
    done = subprocess.run(
        [sys.executable, "-I", "-S", detach.__file__, "/nowhere"], capture_output=True, text=True, check=False
    )

    assert done.stdout == "No such file or directory"


def test_it_tells_the_number_of_what_it_started(capfd: pytest.CaptureFixture[str]):
    pid = int(detach.main(["/bin/sh", "-c", "echo quiet; sleep 0.1"]))

    assert Path(f"/proc/{pid}/environ").read_bytes()
    os.waitpid(pid, 0)
    assert capfd.readouterr().out == ""


def test_it_takes_the_mark_of_a_run_off():
    assert detach.MARK == STARTED


def test_one_that_ends_at_once_is_told_too():
    assert int(detach.main(["/bin/true"]))
