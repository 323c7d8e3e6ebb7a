"""Whatever ends sayso or fills the disk, nothing is half done."""

import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sayso.core.ports import BackendContext as Place
from sayso.providers.disk import syscalls
from sayso.providers.files.local.backend import LocalBackend
from sayso.runtime.system import RandomIds, SystemClock
from tests.harness.races import breaches
from tests.harness.races_deeds import DEEDS, Deed, Direct, at_once
from tests.harness.races_ground import Ground
from tests.surfaces.cli.person import sayso

COUNT = 30
ENDED = {"done", "skipped", "failed"}
LAUNCH = """
import os, runpy, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests themselves were told to ignore it
place, said, gate, *words = sys.argv[1:]
paused = []

def pause(event, given):
    if event == "os.mkdir" and not paused and os.path.exists(place):
        paused.append(event)
        os.write(int(said), b".")
        os.read(int(gate), 1)

sys.addaudithook(pause)
sys.argv = ["sayso", *words]
runpy.run_module("sayso", run_name="__main__", alter_sys=True)
"""
"""Runs sayso, which stands still before it makes the folder after `place`, until the gate is opened."""


@dataclass
class Begun:
    """A run that stands still in the middle of what it makes."""

    process: subprocess.Popen[bytes]
    gate: int

    def ends(self) -> bytes:
        """Let it go on, and return what it wrote on standard error once it has ended."""
        os.close(self.gate)
        return self.process.communicate()[1]


def begun(scratch_home: Path) -> Begun:
    """Start a run that makes many folders, and return it where it stands still, having made some."""
    (scratch_home / "Documents").mkdir()
    reply = scratch_home.parent / "reply.txt"
    reply.write_text("".join(f"CREATE_FOLDER ~/Documents/d{number}\n" for number in range(COUNT)))
    (heard, said), (held, gate) = os.pipe(), os.pipe()
    words = (str(scratch_home / "Documents" / "d3"), str(said), str(held))
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *words, "run", str(reply), "--dialect", "lines", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=(said, held),
    )
    os.close(said)
    os.close(held)
    assert os.read(heard, 1) == b".", "it ended before it had made some"
    os.close(heard)
    return Begun(process, gate)


@pytest.mark.req("CR-07")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_the_journal_tells_after_a_signal_is_so(scratch_home: Path, number: signal.Signals):
    run = begun(scratch_home)

    run.process.send_signal(number)
    err = run.ends()

    rows = sayso("log", "--json", "--limit", "1000").document["rows"]
    told = {row["arguments"]["path"].rpartition("/")[2] for row in rows if row["state"] == "done"}
    there = {path.name for path in (scratch_home / "Documents").iterdir()}
    assert told == there
    assert len(there) < COUNT
    assert {row["state"] for row in rows} <= ENDED
    assert b"Traceback" not in err


@pytest.mark.req("CR-07")
def test_a_run_that_was_suspended_goes_on_and_ends_whole(scratch_home: Path):
    run = begun(scratch_home)

    run.process.send_signal(signal.SIGSTOP)
    before = {path.name for path in (scratch_home / "Documents").iterdir()}
    meanwhile = sayso("log", "--json", "--limit", "1000").document["rows"]
    run.process.send_signal(signal.SIGCONT)
    run.ends()

    assert len(before) < COUNT
    assert not {row["state"] for row in meanwhile} & {"failed", "unknown"}
    assert run.process.returncode == 0
    assert len(list((scratch_home / "Documents").iterdir())) == COUNT


CHANGING = ("fchmod", "fsync", "ftruncate", "pwrite", "rename", "symlink", "utime", "write")
FAULTS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
ACTING = [(deed, back) for deed in DEEDS if not deed.reads for back in ((False, True) if deed.back_moves else (False,))]


def _makes_a_file(path: str, how: int, *more: int, **at: int) -> bool:
    return bool(how & os.O_CREAT)


def _makes_a_folder(path: str, *more: int, dir_fd: int | None = None) -> bool:
    return not os.access(path, os.F_OK, follow_symlinks=False, dir_fd=dir_fd)


def _always(*args: object, **more: object) -> bool:
    return True


class Disk:
    """The calls that change something on a disk, counted; the one of the chosen number fails with a chosen fault."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at, self.fails_at, self.fault = 0, 0, errno.EIO
        for name in CHANGING:
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))
        monkeypatch.setattr(os, "open", self._counted(os.open, _makes_a_file))
        monkeypatch.setattr(os, "mkdir", self._counted(os.mkdir, _makes_a_folder))
        monkeypatch.setattr(syscalls, "_rename", self._counted(vars(syscalls)["_rename"]))

    @contextmanager
    def failing(self, at: int, fault: int) -> Generator[None]:
        """Let the call of this number fail; 0 is none."""
        self.at, self.fails_at, self.fault = 0, at, fault
        try:
            yield
        finally:
            self.fails_at = -1

    def _counted(self, call: Callable[..., Any], counts: Callable[..., bool] = _always) -> Callable[..., Any]:
        def called(*args: Any, **more: Any) -> Any:
            if self.fails_at >= 0 and counts(*args, **more):
                self.at += 1
                if self.at == self.fails_at:
                    raise OSError(self.fault, os.strerror(self.fault))
            return call(*args, **more)

        return called


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setattr("anyio.to_thread.run_sync", at_once)
    return Ground(str(tmp_path / "w"))


@pytest.fixture
def doer(ground: Ground) -> Direct:
    roots = (f"{ground.home}/Documents",)
    place = Place({}, ground.home, ground.own, roots, SystemClock(), RandomIds())
    return Direct(LocalBackend(place, syscalls.beneath()), lambda: None)


async def tried(ground: Ground, doer: Direct, deed: Deed, *, back: bool, fails: Callable[[], Any]) -> str:
    """Do a deed, or take it back, on a disk that fails; hold what was promised, and return how it ended."""
    ground.lay()
    if back:
        assert (await doer.do(deed)).how == "acted"
    before = ground.inside()
    with fails():
        ending = await (doer.undo() if back else doer.do(deed))
    assert list(breaches(ground, deed, ending, before, back=back)) == [], ending
    return ending.how


@pytest.mark.req("FS-16", "UN-03")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("each", [1, pytest.param(len(FAULTS), marks=pytest.mark.thorough)], ids=["one", "all"])
@pytest.mark.parametrize("acting", ACTING, ids=[f"{deed.name}{' back' * back}" for deed, back in ACTING])
async def test_a_fault_at_any_call_changes_nothing_or_is_said_to_be_uncertain(
    ground: Ground, doer: Direct, acting: tuple[Deed, bool], each: int, monkeypatch: pytest.MonkeyPatch
):
    """Each call fails with one fault, the next call with the next one; in the thorough ring with all of them."""
    deed, back = acting
    beyond = ground.beyond()
    disk = Disk(monkeypatch)
    assert await tried(ground, doer, deed, back=back, fails=lambda: disk.failing(0, 0)) == "acted"
    ended: set[str] = set()

    for at in range(1, disk.at + 1):
        for fault in (FAULTS * 2)[at % len(FAULTS) :][:each]:

            def fails(at: int = at, fault: int = fault) -> Any:
                return disk.failing(at, fault)

            ended.add(await tried(ground, doer, deed, back=back, fails=fails))

    assert "refused" in ended
    assert ground.beyond() == beyond


@contextmanager
def no_file_longer_than(count: int) -> Generator[None]:
    """Let the kernel itself refuse to write beyond so many bytes of a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.req("FS-16")
@pytest.mark.parametrize("most", [0, 1, 13, 100])
async def test_a_limit_of_the_kernel_on_what_is_written_leaves_nothing_half_done(
    ground: Ground, doer: Direct, most: int
):
    def fails() -> Any:
        return no_file_longer_than(most)

    ended = [await tried(ground, doer, deed, back=back, fails=fails) for deed, back in ACTING]

    assert ended.count("refused") >= len(ACTING) // 3
    assert set(ended) <= {"acted", "refused"}
