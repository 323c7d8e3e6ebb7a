"""The disk is a file backend like any other, and remembers nothing that a restart would lose."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.core.ports import Backend
from sayso.providers.disk.syscalls import Beneath, beneath, open_below
from sayso.providers.files.local.backend import LocalBackend, build
from sayso.providers.files.model import Write
from sayso.testing.files import FilesSuite, FileStage, Wish
from tests.descriptors import open_descriptors
from tests.providers.files.batches import hold_against_the_world, wishes
from tests.providers.files.local.desk import TOKEN, Desk
from tests.providers.files.staged import DiskStage

ROOT = Path(__file__).parents[4]


async def test_settings_and_tokens_come_from_the_ground(tmp_path: Path):
    desk = Desk(tmp_path, options={"append_missing": "error"})

    assert await desk.reads.append_missing() == "error"
    assert await Desk(tmp_path).reads.append_missing() == "create"
    assert desk.reads.token() == "token000000000000001"


async def test_a_name_in_the_trash_can_be_asked_for_what_is_not_there_yet(desk: Desk):
    item = await desk.reads.look(str(desk.file("a.txt")))
    (desk.documents / "a.txt").unlink()

    assert await desk.reads.trash_entry(item) is not None


async def test_a_path_with_a_file_in_the_middle_is_said(desk: Desk):
    desk.file("a")

    with pytest.raises(ProviderError, match="“~/Documents/a” is not a folder"):
        await desk.reads.look("~/Documents/a/b")


PROGRAM = """
import os, sys, anyio
from pathlib import Path
from tests.providers.files.local.desk import Desk

desk = Desk(Path(sys.argv[1]))
secret = desk.file("a")
secret.chmod(0)

async def main():
    await desk.reads.read(str(desk.file("b")), 10)  # loads what a stranger may not be able to load
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(12345)
        os.setuid(12345)
    print(repr((await desk.reads.look("~/Documents/a")).fact.sha256))
    try:
        await desk.reads.read("~/Documents/a", 10)
    except Exception as said:
        print(type(said).__name__, said.code, said)

anyio.run(main)
"""


def test_what_may_not_be_read_is_said():
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        run = [sys.executable, "-c", PROGRAM, base]
        told = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)

    assert told.stdout == "''\nProviderError path.not_permitted you have no permission for “~/Documents/a”\n"


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
                yield Stage(Path(folder) / "world", open_below)

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


async def test_closing_lets_go_of_the_roots(tmp_path: Path):
    before = open_descriptors()
    desk = Desk(tmp_path)
    await desk.do(Write(str(desk.documents / "a"), "x", TOKEN))

    desk.backend.close()
    desk.backend.close()

    assert open_descriptors() <= before


async def test_no_descriptor_is_left_open_by_reads_and_steps(desk: Desk):
    before = open_descriptors()
    desk.file("d/a")

    await desk.reads.look(str(desk.documents / "d"))
    await desk.reads.find("~/Documents", "*", 10)
    await desk.do(Write(str(desk.documents / "b"), "x", TOKEN))
    desk.backend.prune()

    assert open_descriptors() <= before


class LocalStage(DiskStage):
    """A disk with the local backend on it."""

    def backend(self) -> Backend:
        return build(self.ground())


@contextmanager
def staged() -> Generator[LocalStage]:
    with tempfile.TemporaryDirectory() as base:
        yield LocalStage(Path(base))


@pytest.mark.req("FS-01", "FS-02", "UN-01", "T-21", "S0-77")
class TestLocal(FilesSuite):
    """The suite on a real disk."""

    def stage(self) -> AbstractContextManager[FileStage]:
        return staged()


@settings(max_examples=8)
@given(data=st.data())
async def test_what_a_batch_is_shown_is_what_is_there_once_it_was_done(data: st.DataObject):
    with staged() as stage:
        batch: list[Wish] = data.draw(wishes(stage.root))

        await hold_against_the_world(stage, batch)
