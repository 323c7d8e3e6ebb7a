"""What is sayso's own is known by its name and its number, and reached under no other name, through no mount."""

import os
import subprocess
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sayso.core.errors import Refused
from sayso.providers.disk.denied_places import FolderState, is_settled
from sayso.providers.files.local.sandbox import OwnedFolders, OwnedSnapshot, lasting, number_of
from sayso.providers.files.model import Copy, Rename, Replace, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, free, tree
from tests.providers.files.local.kernels import mount

Attempt = Callable[[Desk], Awaitable[object]]


@contextmanager
def mounted(desk: Desk, source: Path) -> Generator[Desk]:
    """Mount a folder of sayso's own a second time, within the documents."""
    place = desk.documents / "bind"
    place.mkdir()
    mount("--bind", source, place)
    yield desk
    subprocess.run(["umount", place], check=True)


@pytest.fixture
def bound(each_desk: Desk) -> Iterator[Desk]:
    """Return a desk whose own folder is mounted within the documents."""
    (each_desk.own / "config.toml").write_text("# secret\n")
    (each_desk.own / "locks").mkdir()
    (each_desk.own / "locks" / "files").write_text("")
    with mounted(each_desk, each_desk.own) as desk:
        yield desk


@pytest.fixture
def part_bound(each_desk: Desk) -> Iterator[Desk]:
    """Return a desk with a part of its own folder mounted within the documents."""
    (each_desk.own / "locks").mkdir()
    with mounted(each_desk, each_desk.own / "locks") as desk:
        yield desk


THROUGH_A_MOUNT: dict[str, Attempt] = {
    "look": lambda desk: desk.reads.look("~/Documents/bind"),
    "look inside": lambda desk: desk.reads.look("~/Documents/bind/locks"),
    "opened": lambda desk: desk.reads.opened("~/Documents/bind/config.toml"),
    "read": lambda desk: desk.reads.read("~/Documents/bind/config.toml", 100),
    "read below": lambda desk: desk.reads.read("~/Documents/bind/locks/files", 100),
    "list": lambda desk: desk.reads.list("~/Documents/bind", 100),
    "list below": lambda desk: desk.reads.list("~/Documents/bind/locks", 100),
    "find": lambda desk: desk.reads.find("~/Documents/bind", "*", 100),
    "free": lambda desk: desk.reads.free("~/Documents/bind/new"),
    "free below": lambda desk: desk.reads.free("~/Documents/bind/locks/new"),
    "gap": lambda desk: desk.reads.gap("~/Documents/bind/new/folder"),
    "exists": lambda desk: desk.reads.exists("~/Documents/bind/config.toml"),
    "write": lambda desk: desk.do(Write(f"{desk.documents}/bind/locks/x", "x", TOKEN)),
    "replace": lambda desk: desk.do(Replace(f"{desk.documents}/bind/config.toml", "x", TOKEN)),
    "rename": lambda desk: desk.do(Rename(f"{desk.documents}/bind/locks", f"{desk.documents}/bind/l")),
    "copy": lambda desk: desk.do(Copy(f"{desk.documents}/bind/locks", f"{desk.documents}/l", TOKEN)),
}


@pytest.mark.req("FS-11")
@pytest.mark.parametrize("what", THROUGH_A_MOUNT)
async def test_its_own_folder_is_not_reached_through_a_second_mount(bound: Desk, what: str):
    before = tree(bound.own)

    with fails(Refused, "path.own_home"):
        await THROUGH_A_MOUNT[what](bound)

    assert tree(bound.own) == before


async def test_a_mounted_part_of_its_own_folder_is_not_reached_either(part_bound: Desk):
    new = part_bound.documents / "bind" / "x"

    with pytest.raises(Refused):
        await part_bound.reads.list("~/Documents/bind", 100)
    with pytest.raises(Refused):
        await part_bound.do(Write(str(new), "x", TOKEN), free(new))

    assert not new.exists()


@pytest.mark.req("FS-11")
@pytest.mark.parametrize(
    "name",
    ["config.toml", "sayso.db", "sayso.db-wal", "sayso.db-shm", "upkeep", "actions/mine.py", ".logs/actions/day.jsonl"],
)
async def test_a_hard_link_to_a_file_of_its_own_is_not_reached(each_desk: Desk, name: str):
    desk = each_desk
    (desk.own / name).parent.mkdir(parents=True, exist_ok=True)
    (desk.own / name).write_text("# secret\n")
    hard = desk.documents / "a" / "hard.txt"
    hard.parent.mkdir()
    os.link(desk.own / name, hard)
    source, target = str(hard.parent), str(desk.documents / "b")

    attempts: list[Awaitable[object]] = [
        desk.reads.read(str(hard), 100),
        desk.reads.look(str(hard)),
        desk.reads.look(source),
        desk.do(Copy(str(hard), target, TOKEN)),
        desk.do(Copy(source, target, TOKEN)),
        desk.do(Replace(str(hard), "pwned", TOKEN, append=True)),
    ]
    for attempt in attempts:
        with fails(Refused, "path.own_home"):
            await attempt

    assert [entry.name for entry in (await desk.reads.find("~/Documents", "*", 100)).entries] == ["a"]
    assert (desk.own / name).read_text() == "# secret\n"


async def test_another_name_of_what_is_kept_for_a_way_back_stays_the_person_s(desk: Desk):
    kept = desk.own / "trash" / "t0ken" / "item"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    os.link(kept, desk.documents / "mine.txt")

    assert (await desk.reads.read("~/Documents/mine.txt", 100)).text == "mine"


@pytest.mark.req("FS-11")
async def test_a_settings_folder_apart_is_its_own_under_every_name(tmp_path: Path):
    documents = tmp_path / "home" / "Documents"
    settings = documents / "etc" / "sayso"
    desk = Desk(tmp_path, also_own=(str(settings), str(settings / "config.toml")))
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text("# secret\n")
    (documents / "link").symlink_to(settings.parent)

    for path in (settings, settings / "config.toml", documents / "link/sayso", documents / "link/sayso/config.toml"):
        for attempt in (desk.reads.look(str(path)), desk.reads.opened(str(path)), desk.reads.exists(str(path))):
            with pytest.raises(Refused):
                await attempt
    with pytest.raises(Refused):
        await desk.reads.look(str(settings.parent))
    with pytest.raises(Refused):
        await desk.do(Rename(str(settings.parent), str(documents / "other")))
    found = await desk.reads.find("~/Documents/etc", "*", 100)

    assert (found.entries, found.omitted) == ((), 1)
    assert (settings / "config.toml").read_text() == "# secret\n"


def test_a_linked_folder_in_it_does_not_make_everything_there_its_own(tmp_path: Path):
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    own.mkdir()
    theirs.mkdir()
    (own / "link").symlink_to(theirs)
    (theirs / "settings").write_text("")
    (own / "config.toml").symlink_to(theirs / "settings")

    numbers = OwnedFolders(str(own), ()).numbers()

    assert {(found.st_dev, found.st_ino) for found in (own.stat(), (theirs / "settings").stat())} == numbers.near


def settled(place: Path) -> OwnedFolders:
    """Return what owns a folder whose last change lies long enough behind to be read only once."""
    owned = OwnedFolders(str(place), ())
    owned.numbers()
    while vars(owned)["_known"].states == []:
        owned.numbers()
    return owned


def number(place: Path) -> tuple[int, int]:
    return place.stat().st_dev, place.stat().st_ino


def test_what_comes_into_its_folder_is_its_own_at_once_though_the_folder_was_just_read(tmp_path: Path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sayso.db").touch()
    owned = settled(own)

    (own / "sayso.db-wal").touch()
    (own / "sayso.db-wal").rename(own / "sayso.db-shm")
    (own / "actions").mkdir()

    assert owned.numbers().near == {number(own), *map(number, own.iterdir())}


def test_another_folder_in_the_place_of_its_own_is_read_at_once(tmp_path: Path):
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "sayso.db").touch()
    owned = settled(own)

    own.rename(tmp_path / "away")
    gone = owned.numbers().near
    other.rename(own)

    assert gone == frozenset()
    assert owned.numbers().near == {number(own), number(own / "sayso.db")}


def test_where_a_link_in_its_folder_leads_is_looked_up_each_time(tmp_path: Path):
    own, settings = tmp_path / "own", tmp_path / "settings"
    own.mkdir()
    (own / "config.toml").symlink_to(settings)
    (tmp_path / "ready").touch()
    (tmp_path / "later").mkdir()
    settled(tmp_path / "later")
    owned = OwnedFolders(str(own), ())
    nowhere = owned.numbers().near

    (tmp_path / "ready").rename(settings)

    assert nowhere == {number(own)}
    assert owned.numbers().near == {number(own), number(settings)}


LATER = 7_000_000_000


def test_what_was_read_is_believed_for_a_second_of_places_that_look_the_same():
    states: list[FolderState | None] = [(1, 2, LATER), None]
    known = OwnedSnapshot(frozenset(), LATER, states)

    assert [known.holds(states, LATER + more) for more in (0, 999_999_999, 1_000_000_000, -1)] == [
        True,
        True,
        False,
        False,
    ]
    assert not known.holds([(1, 2, LATER + 1), None], LATER)


def test_a_place_shows_its_next_change_once_its_last_is_some_time_ago():
    fine, coarse = (1, 2, LATER + 5), (1, 2, LATER)

    assert is_settled(None, 0)
    assert [is_settled(fine, fine[2] + ago) for ago in (100_000_000, 100_000_001)] == [False, True]
    assert [is_settled(coarse, LATER + ago) for ago in (3_000_000_000, 3_000_000_001)] == [False, True]


def test_what_a_change_may_leave_without_a_trace_is_not_believed_again():
    old, new = (1, 2, LATER + 5), (1, 3, LATER + 900_000_000)

    assert lasting([old, None], LATER + 1_000_000_000, links=False) == [old, None]
    assert lasting([old, new], LATER + 950_000_000, links=False) == []
    assert lasting([old, None], LATER + 1_000_000_000, links=True) == []


def test_a_further_place_of_saysos_own_is_known_to_its_depth(tmp_path: Path):
    documents = tmp_path
    (documents / "also/deep").mkdir(parents=True)
    (documents / "a.txt").touch()
    (documents / "also/deep/x").write_text("x")
    os.link(documents / "also/deep/x", documents / "second")
    owned = OwnedFolders(str(documents / "own"), (str(documents / "also"),))

    assert owned.numbers().has((documents / "second").stat())
    assert not owned.numbers().has((documents / "a.txt").stat())


def test_what_is_owned_is_known_by_name_and_by_number(tmp_path: Path):
    documents = tmp_path
    for name in ("own/trash", "elsewhere", "inner"):
        (documents / name).mkdir(parents=True)
    for name in ("own/token", "a.txt"):
        (documents / name).touch()
    for name, target in (("l", documents / "elsewhere"), ("f", documents / "a.txt"), ("dead", "nothing")):
        (documents / "own" / name).symlink_to(target)
    (documents / "settings.toml").write_text("s")
    owned = OwnedFolders(str(documents / "own"), (str(documents / "settings.toml"), str(documents / "not there")))
    near = owned.numbers()
    known = ("own", "own/token", "own/trash", "settings.toml", "a.txt", "elsewhere", "inner", ".")

    assert owned.folder == str(documents / "own")
    assert [name for name in known if number_of((documents / name).stat()) in near] == list(known[:5])
    assert [name for name in ("OWN/x", "settings.toml", "own2") if owned.may_hold(str(documents / name))] == [
        "OWN/x",
        "settings.toml",
    ]
    assert [name for name in ("", "settings.toml", "inner") if owned.lies_in(str(documents / name))] == [
        "",
        "settings.toml",
    ]
