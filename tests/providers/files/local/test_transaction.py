"""A step is done only when everything it expects holds, also what it does not touch."""

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused, SaysoError, Uncertain
from sayso.core.plan import CannotTell, ResultRef
from sayso.core.ports import no_kill_point
from sayso.providers.disk.syscalls import Beneath, beneath, exchange
from sayso.providers.files.local.measure import Measure
from sayso.providers.files.local.sandbox import Confinement, OwnedFolders, Spot
from sayso.providers.files.local.transaction import Expectations, carry
from sayso.providers.files.model import (
    Copy,
    Free,
    MakeFolders,
    Rename,
    Restore,
    SameFolder,
    Steps,
    Trash,
    Unchanged,
    Write,
)
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, said_by


@pytest.fixture
def desk(each_desk: Desk) -> Desk:
    """Return a desk for each way of opening folders: that is what is tried here."""
    return each_desk


async def test_facts_about_other_paths_are_held_too(desk: Desk):
    source, target, other = desk.file("a"), desk.documents / "b", desk.file("c")
    step = Rename(str(source), str(target))
    facts = await desk.facts(other)
    other.write_text("changed")

    for wrong in (
        facts,
        (Free(str(other)),),
        (SameFolder(str(desk.documents), 1, 1),),
        (SameFolder(str(other), 1, 1),),
        (SameFolder(str(desk.documents / "none"), 1, 1),),
    ):
        with fails(ProviderError, "world.changed"):
            await desk.do(step, wrong)
    assert source.exists()

    await desk.do(step, await desk.facts(other), (Free(str(desk.documents / "none/x")),))

    assert target.exists()


async def test_a_folder_that_was_swapped_is_not_put_into(desk: Desk):
    source = desk.file("a")
    (desk.documents / "d").mkdir()
    room = await desk.room(desk.documents / "d/b")
    (desk.documents / "d").rename(desk.documents / "e")
    (desk.documents / "d").mkdir()

    with pytest.raises(ProviderError, match="another folder"):
        await desk.do(Rename(str(source), str(desk.documents / "d/b")), room)


async def test_a_link_on_the_way_to_a_fact_is_a_refusal(desk: Desk):
    source = desk.file("a")
    (desk.documents / "d").symlink_to(desk.outside)

    with pytest.raises(SaysoError):
        await desk.do(Rename(str(source), str(desk.documents / "b")), (Free(str(desk.documents / "d/x")),))


async def test_a_fact_that_nobody_resolved_is_refused(desk: Desk):
    source = desk.file("a")

    with pytest.raises(Refused, match="nothing here can check"):
        await desk.do(Rename(str(source), str(desk.documents / "b")), (ResultRef(str(source), "unchanged", 0),))


@dataclass
class Held:
    """A confinement of two roots, one in the other, and what a step holds open in it."""

    confine: Confinement
    stack: ExitStack
    documents: Path

    def expect(self, *names: str) -> Expectations:
        """Return what a step expects that touches these paths in the outer root."""
        spots = [self.confine.spot(str(self.documents / name), self.stack) for name in names]
        return Expectations(self.confine, Measure(self.confine), self.stack, *spots)


@pytest.fixture
def held(tmp_path: Path, way: Beneath) -> Iterator[Held]:
    """Return the ground for expecting something without a step."""
    documents = tmp_path / "home/Documents"
    (documents / "inner").mkdir(parents=True)
    roots = [str(documents), str(documents / "inner")]
    with ExitStack() as stack:
        confine = Confinement(str(tmp_path / "home"), OwnedFolders(str(tmp_path / "own"), ()), roots, way)
        stack.callback(confine.close)
        yield Held(confine, stack, documents)


def folder(path: Path, at: Path | None = None) -> SameFolder:
    """Return that a folder is the one that stands at `path`, or that it is the one at another."""
    found = (at or path).stat()
    return SameFolder(str(path), found.st_dev, found.st_ino)


def code(deed: Callable[[], object]) -> str:
    """Return the stable word with which something ends, nothing when it goes well."""
    try:
        deed()
    except SaysoError as said:
        return said.code
    return ""


@pytest.mark.req("FS-04")
def test_the_folder_that_a_step_holds_open_is_the_one_that_counts(held: Held):
    place = held.documents / "d"
    place.mkdir()
    then = folder(place)
    expecting = held.expect("d/a")
    place.rename(held.documents / "e")
    place.mkdir()

    assert code(lambda: expecting.check((then,))) == ""
    assert code(lambda: expecting.check((folder(place),))) == "world.changed"


@pytest.mark.req("FS-04")
def test_a_thing_that_a_step_holds_open_is_looked_at_there(held: Held):
    place = held.documents / "d"
    place.mkdir()
    (place / "a").write_text("a")
    expecting = held.expect("d/a")
    place.rename(held.documents / "e")

    assert code(lambda: expecting.check((Free(str(place / "a")),))) == "world.changed"
    assert code(lambda: held.expect().check((Free(str(place / "a")),))) == ""


def test_a_root_that_a_step_touches_is_not_taken_for_the_folder_around_it(held: Held):
    around, inner = held.documents, held.documents / "inner"

    for names in (("inner", "copy"), ("copy", "inner")):
        expecting = held.expect(*names)

        assert code(lambda now=expecting: now.check((folder(around), folder(inner)))) == ""
        assert code(lambda now=expecting: now.check((folder(around, at=inner),))) == "world.changed"


def test_a_kept_place_that_is_not_open_lies_in_no_root_even_where_all_of_the_disk_is_one(tmp_path: Path, way: Beneath):
    with ExitStack() as stack:
        confine = Confinement(str(tmp_path), OwnedFolders(str(tmp_path / "own"), ()), ["/"], way)
        stack.callback(confine.close)
        expecting = Expectations(confine, Measure(confine), stack)

        assert code(lambda: expecting.check((Free("kept:abc/item"),))) == ""
        assert code(lambda: expecting.check((SameFolder("kept:abc/item", 1, 1),))) == "world.changed"


def test_in_a_place_that_no_root_holds_or_that_is_gone_nothing_stands(held: Held):
    nothing = [str(held.documents / name) for name in ("gone/x", "free")]
    for about in ("/nowhere/at/all", "kept:abc/item", *nothing):
        expecting = held.expect()

        assert code(lambda now=expecting, path=about: now.check((Free(path),))) == ""
        for fact in (SameFolder(about, 1, 1), Unchanged(about, "file", 1, 1, size=0, mtime_ns=0, sha256="")):
            assert code(lambda now=expecting, fact=fact: now.check((fact,))) == "world.changed"


@pytest.mark.req("FS-04")
def test_a_fact_behind_a_link_that_was_put_there_since_is_refused(held: Held, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    (held.documents / "d").symlink_to(tmp_path / "outside")
    (held.documents / "l").symlink_to(held.documents / "inner")

    for name in ("d/x", "l/x"):
        assert code(lambda about=f"{held.documents}/{name}": held.expect().check((Free(about),))) == "path.changed"


def test_what_is_gone_is_said_to_be_gone_by_the_name_a_person_knows(held: Held):
    spot = held.confine.spot(str(held.documents / "a"), held.stack)

    with fails(ProviderError, "world.changed", match=r"“~/Documents/a”.* it is gone"):
        held.expect("a").seen(spot)


AT_NAME = -100
"""AT_FDCWD: a path stands for itself."""
RIVALS = 40
RIVAL = """
import os, sys
folder, count = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
for number in range(count):
    name, beside = f"{folder}/{number}.txt", f"{folder}/.{number}"
    with open(beside, "w") as file:
        file.write(f"theirs {number}")
    while not os.path.lexists(name):
        pass
    os.rename(beside, name)
"""


def until_the_clock_of_files_has_moved_on(path: Path) -> None:
    coarse, changed = 5, path.stat().st_ctime_ns
    while time.clock_gettime_ns(coarse) <= changed:
        pass


async def test_another_thing_that_slipped_in_is_put_back(tmp_path: Path):
    source, target = tmp_path / "home/Documents/a", tmp_path / "home/Documents/b"

    def slip(label: str) -> None:
        if label == "files.rename.begun":
            source.rename(source.with_name("mine"))
            source.write_text("another")
            until_the_clock_of_files_has_moved_on(source.with_name("mine"))

    desk = Desk(tmp_path, kill=slip)
    desk.file("a")

    with fails(Refused, "path.changed"):
        await desk.do(Rename(str(source), str(target)), await desk.facts(source))

    assert source.read_text() == "another"
    assert not target.exists()


async def test_what_was_moved_and_then_exchanged_by_another_program_is_not_called_unchanged(tmp_path: Path):
    source, target = tmp_path / "home/Documents/a", tmp_path / "home/Documents/b"

    def exchange_there(label: str) -> None:
        if label == "files.rename.renamed":
            exchange(AT_NAME, str(target), AT_NAME, str(target.with_name("theirs")))

    desk = Desk(tmp_path, kill=exchange_there)
    desk.file("a")
    desk.file("theirs", "their only copy")

    with pytest.raises(Uncertain, match="look at both") as said:
        await desk.do(Rename(str(source), str(target)), await desk.facts(source))

    assert "nothing was changed" not in str(said.value)
    assert source.read_text() == "their only copy"
    assert target.with_name("theirs").read_text() == "old\n"


@pytest.mark.req("FS-14")
async def test_a_delete_that_another_thing_slipped_into_leaves_nothing_in_the_trash(tmp_path: Path):
    source = tmp_path / "home/Documents/a"

    def slip(label: str) -> None:
        if label == "files.trash.noted":
            source.rename(source.with_name("mine"))
            source.write_text("another")

    desk = Desk(tmp_path, kill=slip)
    desk.file("a")
    item = await desk.reads.look(str(source))
    entry = await desk.reads.trash_entry(item)

    with pytest.raises(Refused, match="nothing was changed"):
        await desk.do(Trash(str(source), str(entry)), (item.fact,))

    assert source.read_text() == "another"
    assert said_by("find", desk.home / ".local/share/Trash", "-type", "f") == ""


@pytest.mark.req("UN-02")
async def test_what_another_program_saves_over_a_thing_brought_back_stays_there(tmp_path: Path):
    source = tmp_path / "home/Documents/a"

    def save(label: str) -> None:
        if label == "files.restore.renamed":
            source.with_name("beside").write_text("the only copy")
            source.with_name("beside").rename(source)

    desk = Desk(tmp_path, kill=save)
    desk.file("a")
    item = await desk.reads.look(str(source))
    entry = str(await desk.reads.trash_entry(item))
    left = await desk.do(Trash(str(source), entry), (item.fact,))

    with pytest.raises(Uncertain, match="another program"):
        await desk.do(Restore(str(source), entry), left.facts)

    assert source.read_text() == "the only copy"
    assert not Path(entry).exists()


async def test_when_it_cannot_be_put_back_it_is_said_where_it_lies(tmp_path: Path):
    source, target = tmp_path / "home/Documents/a", tmp_path / "home/Documents/b"

    def slip(label: str) -> None:
        if label == "files.rename.begun":
            source.rename(source.with_name("mine"))
        if label in {"files.rename.begun", "files.rename.renamed"}:
            source.write_text(label)

    desk = Desk(tmp_path, kill=slip)
    desk.file("a")

    with pytest.raises(Uncertain, match="is now at"):
        await desk.do(Rename(str(source), str(target)), await desk.facts(source))

    assert target.read_text() == "files.rename.begun"
    assert source.read_text() == "files.rename.renamed"


def steps_that_make(target: Path) -> list[Steps]:
    source = target.with_name("source")
    source.write_text("old\n")
    return [
        Write(str(target), "new\n", TOKEN),
        Copy(str(source), str(target), TOKEN),
        MakeFolders(str(target), ("b",), TOKEN),
    ]


@pytest.mark.parametrize("number", range(3), ids=["write", "copy", "make_folders"])
async def test_what_another_program_saves_over_the_new_name_is_never_taken_away(desk: Desk, number: int):
    target = desk.documents / "a"
    step = steps_that_make(target)[number]

    def save(label: str) -> None:
        if label.endswith(".renamed"):
            if target.is_dir():
                target.rename(target.with_name("theirs"))
            target.with_name("beside").write_text("the only copy")
            target.with_name("beside").rename(target)

    desk.kill = save
    desk.open()

    with pytest.raises(Uncertain, match="another program") as said:
        await desk.do(step, await desk.room(target))

    assert "nothing was changed" not in str(said.value)
    assert target.read_text() == "the only copy"
    assert isinstance(await desk.backend.settle(step, ()), CannotTell)
    assert target.read_text() == "the only copy"


@contextmanager
def rival(folder: Path, count: int) -> Generator[None]:
    """Run a program that saves over `0.txt`, `1.txt`, … as soon as each is there."""
    words = [sys.executable, "-c", RIVAL, str(folder), str(count)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        program.stdout.readline()
        try:
            yield
            program.wait(timeout=30)
        finally:
            program.kill()


async def test_a_rival_that_saves_over_every_new_name_loses_nothing(desk: Desk):
    problems: list[SaysoError] = []

    with rival(desk.documents, RIVALS):
        for number in range(RIVALS):
            target = desk.documents / f"{number}.txt"
            try:
                await desk.do(Write(str(target), "ours", f"{TOKEN}{number}"), await desk.room(target))
            except SaysoError as problem:
                problems.append(problem)

    written = said_by("grep", "-rhx", "theirs .*", desk.base)

    assert sorted(written.split("\n")[:-1]) == sorted(f"theirs {number}" for number in range(RIVALS))
    assert [str(problem) for problem in problems if "nothing was changed" in str(problem)] == []


class FaultySpot(Spot, frozen=True):
    """A place whose disk moves things and then no longer shows them."""

    def stat(self) -> os.stat_result | None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


async def test_a_fault_after_the_move_is_no_plain_no(desk: Desk):
    confine = Confinement(str(desk.home), OwnedFolders(str(desk.own), ()), [str(desk.documents)], beneath())
    source, target = desk.file("a"), desk.documents / "b"
    with ExitStack() as stack:
        here, there = confine.spot(str(source), stack), confine.spot(str(target), stack)
        seen = Measure(confine).see(here, stack)
        assert seen is not None

        with pytest.raises(Uncertain) as said:
            carry(seen, here, FaultySpot(there.folder, "b", there.path, there.about, there.said), no_kill_point)

    assert said.value.code == "disk.failed"
    assert target.read_text() == "old\n"
    confine.close()
