"""A program that may run long ends with sayso, and the time of one that talks stands still for our answers."""

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
from tests.providers.programs.conftest import alive, passes, too_late_once

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


@pytest.mark.parametrize(
    ("script", "data", "found"),
    [
        ('cat; echo "$1" >&2; exit 7', b"in", (b"in", b"-x\n", 7)),
        ("kill -9 $$", b"", (b"", b"", -9)),
        ("kill -TERM $$", b"", (b"", b"", -15)),
        ("ls /proc/$$/fd", b"", (b"0\n1\n2\n", b"", 0)),
    ],
)
async def test_its_words_its_output_and_its_end_are_its_own_and_nothing_stays_open(
    script: str, data: bytes, found: tuple[bytes, bytes, int]
):
    before = open_descriptors()

    done = await a_runner().run(ProgramCall("sh", ("-c", script, "sh", "-x"), data=data, kept=True))

    assert (done.output, done.errors, done.code) == found
    assert open_descriptors() <= before


async def test_what_does_not_start_is_said(odd_program: str):
    with pytest.raises(ProviderError, match="odd failed: odd could not be started: No such file or directory"):
        await a_runner().run_for_text(ProgramCall(odd_program, kept=True))


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


def test_detaching_tells_why_something_does_not_start_and_the_number_of_what_did(capfd: pytest.CaptureFixture[str]):
    started = [sys.executable, "-I", "-S", detach.__file__, "/nowhere"]
    done = subprocess.run(started, capture_output=True, text=True, check=False)
    pid = int(detach.main(["/bin/sh", "-c", "echo quiet; sleep 0.1"]))

    assert Path(f"/proc/{pid}/environ").read_bytes()
    os.waitpid(pid, 0)
    assert capfd.readouterr().out == ""
    assert done.stdout == "No such file or directory"
    assert int(detach.main(["/bin/true"]))
    assert detach.MARK == STARTED


ECHO = """
import os, sys
reading, writing = int(sys.argv[1]), int(sys.argv[2])
came = os.read(reading, 100)
os.write(writing, b"1:" + came)
os.write(writing, b"2:" + os.read(reading, 100))
print("said beside it", flush=True)
os.read(reading, 100)
"""


class Talks:
    """Says what it is given, one thing after the other, and keeps what it is told."""

    def __init__(self, *says: bytes, seconds: float = 0, most: int = 1000) -> None:
        self._says = list(says)
        self._seconds = seconds
        self.most = most
        self.told: list[bytes | None] = []

    async def begin(self) -> bytes:
        return self._says.pop(0)

    async def answer(self, message: bytes | None) -> bytes | None:
        self.told.append(message)
        passes(self._seconds)
        return self._says.pop(0) if self._says and message is not None else None


def python(script: str, seconds: float = 20) -> ProgramCall:
    return ProgramCall(sys.executable, ("-I", "-S", "-c", script), seconds=seconds, kept=True, bare=True)


async def run(call: ProgramCall, talk: Talks) -> str:
    return (await ProgramRunner(os.environ, RandomIds()).run(call, talk)).text


async def test_what_each_says_reaches_the_other():
    talk = Talks(b"hello\n", b"again\n")

    await run(python(ECHO), talk)

    assert talk.told == [b"1:hello", b"2:again"]


async def test_the_time_of_an_answer_is_not_the_programs():
    talk = Talks(b"hello\n", b"again\n", seconds=60)

    await run(python(ECHO), talk)

    assert talk.told == [b"1:hello", b"2:again"]


@pytest.mark.parametrize(
    "script",
    ["import os, sys, time; os.write(int(sys.argv[2]), b'x' * 5000); time.sleep(99)",
     "import os, sys, time; os.write(int(sys.argv[2]), b'x' * 2000 + b'\\n'); time.sleep(99)"],
)  # fmt: skip
async def test_more_at_once_than_may_be_ends_it(script: str):
    talk = Talks(b"\n", b"\n")

    await run(python(script), talk)

    assert talk.told == [None]


async def test_one_that_does_not_listen_is_ended_in_its_time():
    talk = Talks(b"x" * 2**22)

    with pytest.raises(ProviderError, match=r"did not end within 0\.5 seconds"):
        await run(python("import time; time.sleep(99)", seconds=0.5), talk)


async def test_one_that_ends_at_once_is_no_fault():
    talk = Talks(b"x" * 2**22)

    await run(python("pass"), talk)

    assert talk.told in ([], [None])
