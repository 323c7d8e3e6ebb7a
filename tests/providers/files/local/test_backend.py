"""The disk is a file backend like any other, and tells the truth about a step after a crash."""

import json
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
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.core.ports import Backend
from sayso.providers.disk.syscalls import Beneath, beneath, open_below
from sayso.providers.files.local.backend import LocalBackend, build
from sayso.providers.files.local.steps import KILL_POINTS
from sayso.providers.files.model import Copy, Keep, Rename, Replace, Trash, Unchanged, Write
from sayso.testing.files import FilesSuite, FileStage, Wish
from tests.descriptors import open_descriptors
from tests.providers.files.batches import hold_against_the_world, wishes
from tests.providers.files.local.desk import TOKEN, Desk, free
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


STEPS = tuple(sorted({label.split(".")[1] for label in KILL_POINTS}))


FIRST = ("replace", "rename")
"""Every step dies at one of its kill points in the first ring, on the whole path; these at all of them."""


@pytest.mark.req("CR-01", "S0-36")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("steps", [FIRST, pytest.param(STEPS, marks=pytest.mark.thorough)], ids=["two", "all"])
def test_a_death_at_any_kill_point_is_settled_truthfully(steps: tuple[str, ...], tmp_path: Path):
    run = [sys.executable, "-m", "tests.providers.files.local.dying", str(tmp_path), *steps]

    told = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)

    deaths = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(deaths) == sum(label.split(".")[1] in steps for label in KILL_POINTS)
    for death in deaths:
        step = death["label"].split(".")[1]
        assert death["died"] == -9, death
        assert death["said"] == ("Applied" if death["changed"] else "NotDone"), death
        assert not death["settling_changed"], death
        assert death["undone"] in {True, None}, death
        if death["said"] == "NotDone" and step not in {"unkeep", "exchange", "remove_folders", "restore"}:
            assert death["kept"] == [], death
            assert death["infos"] == [], death


async def test_a_file_that_looks_right_without_the_token_is_not_taken_for_ours(desk: Desk):
    path = desk.documents / "a.txt"
    facts = await desk.room(path)
    path.write_text("new\n")

    settled = await desk.backend.settle(Write(str(path), "new\n", TOKEN), facts)

    assert isinstance(settled, CannotTell)


@pytest.mark.parametrize("what", ["replaced by another", "gone"])
async def test_what_was_made_and_then_taken_by_somebody_cannot_be_told(desk: Desk, what: str):
    path = desk.documents / "a.txt"
    step = Write(str(path), "new\n", TOKEN)
    await desk.do(step, await desk.room(path))
    path.rename(desk.outside / "taken")
    if what == "replaced by another":
        path.write_text("new\n")

    assert isinstance(await desk.backend.settle(step, ()), CannotTell)


async def test_a_move_whose_thing_is_nowhere_cannot_be_told(desk: Desk):
    source, target = desk.file("a"), desk.documents / "b"
    facts = await desk.facts(source)
    source.rename(desk.outside / "elsewhere")

    settled = await desk.backend.settle(Rename(str(source), str(target)), facts)

    assert isinstance(settled, CannotTell)


async def test_a_delete_whose_thing_is_nowhere_leaves_no_note_about_it_in_the_trash(desk: Desk):
    source = desk.file("a")
    facts = await desk.facts(source)
    trash = desk.home / ".local/share/Trash"
    for folder in ("files", "info"):
        (trash / folder).mkdir(mode=0o700, parents=True)
    (trash / "info/a.token.trashinfo").write_text("[Trash Info]\n")
    source.rename(desk.outside / "elsewhere")

    settled = await desk.backend.settle(Trash(str(source), str(trash / "files/a.token")), facts)

    assert isinstance(settled, CannotTell)
    assert not list((trash / "info").iterdir())


async def test_a_move_done_and_then_edited_is_done_and_its_way_back_will_refuse(desk: Desk):
    source, target = desk.file("a"), desk.documents / "b"
    facts = await desk.facts(source)
    source.rename(target)
    target.write_text("edited after the crash")

    settled = await desk.backend.settle(Rename(str(source), str(target)), facts)

    assert isinstance(settled, Applied)
    assert [fact.size for fact in settled.facts if isinstance(fact, Unchanged)] == [4]


async def test_steps_whose_folder_is_gone_are_settled_without_a_fault(desk: Desk):
    facts = await desk.facts(desk.file("d/a"))
    path = str(desk.documents / "d/a")
    for name in ("a",):
        (desk.documents / "d" / name).unlink()
    (desk.documents / "d").rmdir()
    entry = str(desk.home / ".local/share/Trash/files/a")

    for step in (
        Write(path, "x", TOKEN),
        Replace(path, "x", TOKEN),
        Copy(path, path + "2", TOKEN),
        Keep(path, TOKEN),
        Trash(path, entry),
    ):
        assert isinstance(await desk.backend.settle(step, facts), CannotTell)


async def test_a_half_built_thing_is_tidied_away_and_another_steps_is_not(desk: Desk):
    path = desk.file("a.txt")
    left = await desk.do(Keep(str(path), TOKEN), await desk.facts(path))

    settled = await desk.backend.settle(Write(str(path), "x", TOKEN), free(path))

    assert isinstance(settled, CannotTell)
    assert Path(desk.own / "trash" / TOKEN / "item").exists()
    assert left.facts


async def test_a_step_that_never_began_was_not_done(desk: Desk):
    path = desk.file("a.txt")
    facts = await desk.facts(path)

    for step in (Keep(str(path), TOKEN), Replace(str(path), "x", TOKEN)):
        assert isinstance(await desk.backend.settle(step, facts), NotDone)


async def test_what_is_not_what_was_built_is_never_tidied_away(desk: Desk):
    target = desk.documents / "a"
    place = desk.own / "trash" / TOKEN
    step = Write(str(target), "new\n", TOKEN)

    def die_after(label: str) -> None:
        if label == "files.write.noted":
            raise KeyboardInterrupt

    desk.kill = die_after
    desk.open()
    with pytest.raises(KeyboardInterrupt):
        await desk.do(step, await desk.room(target))
    (place / "theirs").write_text("the only copy")
    (place / "theirs").rename(place / "item")

    assert isinstance(await desk.backend.settle(step, ()), CannotTell)
    assert (place / "item").read_text() == "the only copy"
