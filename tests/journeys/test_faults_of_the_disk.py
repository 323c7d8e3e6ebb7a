"""A disk that fails at any call of any file operation: nothing is lost, and what failed has changed nothing (FS-16)."""

import errno
import os
import resource
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sayso.core.ports import Ground as Place
from sayso.providers.disk import syscalls
from sayso.providers.files.local.backend import LocalBackend
from sayso.runtime.system import RandomIds, SystemClock
from tests.harness.races_acting import Direct, at_once
from tests.harness.races_deeds import DEEDS, Deed
from tests.harness.races_ground import Ground
from tests.harness.races_judging import breaches

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
