"""The real disk is a file backend like any other, and remembers nothing that a restart would lose."""

import gc
import os
import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sayso.providers.disk.syscalls import Beneath, beneath, walked
from sayso.providers.files.local.backend import LocalBackend, build
from sayso.providers.files.model import Write
from sayso.testing.files import FilesSuite, FileStage
from tests.providers.files.local.desk import TOKEN, Desk, names
from tests.providers.files.staged import DiskStage


@dataclass
class Stage(DiskStage):
    """The disk with the backend on it."""

    way: Beneath = field(default_factory=beneath)

    def backend(self) -> LocalBackend:
        return LocalBackend(self.ground(), self.way)


class TestWalked(FilesSuite):
    """The suite on a real disk, opened name by name; the surest way of this machine is held to it elsewhere."""

    def stage(self) -> AbstractContextManager[FileStage]:
        @contextmanager
        def staged() -> Generator[FileStage]:
            with tempfile.TemporaryDirectory() as folder:
                yield Stage(Path(folder) / "world", walked)

        return staged()


async def test_the_surest_way_is_chosen_and_a_missing_root_is_left_out_and_not_made(tmp_path: Path):
    stage = Stage(tmp_path / "world")
    ground = stage.ground()

    backend = build(type(ground)(ground.settings, ground.home, ground.own, (*ground.roots, str(tmp_path / "no")),
                                 ground.clock, ground.ids))  # fmt: skip

    assert backend.name == "local"
    assert (await backend.reads.look(stage.root)).kind == "folder"
    assert not (tmp_path / "no").exists()


async def test_the_mask_for_new_things_is_that_of_the_start(tmp_path: Path):
    mask = os.umask(0o027)
    try:
        desk = Desk(tmp_path)
    finally:
        os.umask(mask)
    path = desk.documents / "a"

    await desk.do(Write(str(path), "x", TOKEN))

    assert path.stat().st_mode & 0o777 == 0o640


def descriptors() -> list[str]:
    gc.collect()  # what another test has forgotten goes now, and not between two looks
    return names(Path("/proc/self/fd"))


async def test_closing_lets_go_of_the_roots(tmp_path: Path):
    before = len(descriptors())
    desk = Desk(tmp_path)
    await desk.do(Write(str(desk.documents / "a"), "x", TOKEN))

    desk.backend.close()
    desk.backend.close()

    assert len(descriptors()) == before


async def test_no_descriptor_is_left_open_by_reads_and_steps(one_desk: Desk):
    before = descriptors()
    one_desk.file("d/a")

    await one_desk.reads.look(str(one_desk.documents / "d"))
    await one_desk.reads.find("~/Documents", "*", 10)
    await one_desk.do(Write(str(one_desk.documents / "b"), "x", TOKEN))
    one_desk.backend.prune()

    assert descriptors() == before
