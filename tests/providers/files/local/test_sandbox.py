"""What is opened at a spot is what was found there, or nothing."""

import os
import subprocess
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.sandbox import (
    FolderState,
    OwnedFolders,
    OwnedSnapshot,
    Spot,
    follow_links,
    hold,
    is_settled,
    kind_of,
    lasting,
    mount_of,
    mounts_within,
    open_file,
    open_folder,
    same,
    top_of,
)
from sayso.providers.files.model import Copy, Keep, Rename, Replace, Unkeep, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, free, tree
from tests.providers.files.local.kernels import alone, mount


@pytest.fixture
def stack():
    with ExitStack() as made:
        yield made


def spot(folder: Path, name: str, stack: ExitStack) -> Spot:
    opened = os.open(folder, FOLDER)
    stack.callback(os.close, opened)
    return Spot(opened, name, str(folder / name), str(folder / name), name)


def test_what_was_swapped_since_is_not_opened(tmp_path: Path, stack: ExitStack):
    (tmp_path / "a").write_text("a")
    (tmp_path / "d").mkdir()
    file, folder = spot(tmp_path, "a", stack), spot(tmp_path, "d", stack)
    found, found_folder = (tmp_path / "a").stat(), (tmp_path / "d").stat()
    (tmp_path / "a").rename(tmp_path / "b")
    (tmp_path / "a").write_text("other")
    (tmp_path / "d").rename(tmp_path / "e")
    (tmp_path / "d").mkdir()

    with pytest.raises(Refused):
        open_file(file, found, stack)
    with pytest.raises(Refused):
        open_folder(folder, found_folder, stack)


def test_a_link_is_held_as_a_link_and_nothing_is_nothing(tmp_path: Path, stack: ExitStack):
    (tmp_path / "l").symlink_to("/etc/passwd")

    holding = hold(spot(tmp_path, "l", stack), stack)

    assert holding is not None
    held, descriptor = holding
    assert os.fstat(descriptor) == held
    assert kind_of(held, "l") == "link"
    assert hold(spot(tmp_path, "none", stack), stack) is None
    assert same(held, os.lstat(tmp_path / "l"))
    assert not same(held, None)


def test_each_thing_is_what_it_is_and_a_link_is_looked_at_itself(tmp_path: Path, stack: ExitStack):
    (tmp_path / "f").write_text("x")
    (tmp_path / "d").mkdir()
    (tmp_path / "l").symlink_to("f")
    (tmp_path / "dead").symlink_to("nothing")

    kinds = {
        name: kind_of(found, name)
        for name in ("f", "d", "l", "dead")
        if (found := spot(tmp_path, name, stack).stat()) is not None
    }

    assert kinds == {"f": "file", "d": "folder", "l": "link", "dead": "link"}
    assert spot(tmp_path, "none", stack).stat() is None


def closed(descriptor: int) -> bool:
    """Say whether nothing is open under this number."""
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


def test_what_was_found_is_opened_read_and_closed_again_without_touching_its_times(tmp_path: Path, stack: ExitStack):
    (tmp_path / "f").write_text("x")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "inner").write_text("y")
    os.utime(tmp_path / "f", (1000, 2000))

    with ExitStack() as inner:
        file = open_file(spot(tmp_path, "f", stack), (tmp_path / "f").stat(), inner)
        folder = open_folder(spot(tmp_path, "d", stack), (tmp_path / "d").stat(), inner)
        holding = hold(spot(tmp_path, "f", stack), inner)
        assert os.read(file, 9) == b"x"
        with os.scandir(folder) as entries:
            assert [entry.name for entry in entries] == ["inner"]
        assert holding

    assert [closed(descriptor) for descriptor in (file, folder, holding[1])] == [True, True, True]
    assert (tmp_path / "f").stat().st_atime == 1000


def test_no_link_is_opened_for_what_it_leads_to(tmp_path: Path, stack: ExitStack):
    (tmp_path / "f").write_text("x")
    (tmp_path / "d").mkdir()
    (tmp_path / "to file").symlink_to("f")
    (tmp_path / "to folder").symlink_to("d")

    with pytest.raises(OSError, match="symbolic links"):
        open_file(spot(tmp_path, "to file", stack), (tmp_path / "f").stat(), stack)
    with pytest.raises(OSError, match="Not a directory"):
        open_folder(spot(tmp_path, "to folder", stack), (tmp_path / "d").stat(), stack)


class Fleeting(Spot, frozen=True):
    """A spot whose thing goes away as soon as it was looked at."""

    def stat(self) -> os.stat_result | None:
        found = os.lstat(self.path)
        Path(self.path).unlink()
        return found


def test_what_goes_away_right_after_the_look_is_not_held(tmp_path: Path, stack: ExitStack):
    (tmp_path / "a").write_text("x")
    folder = spot(tmp_path, "a", stack).folder

    assert hold(Fleeting(folder, "a", str(tmp_path / "a"), str(tmp_path / "a"), "a"), stack) is None


@pytest.mark.req("FS-06")
def test_nothing_waits_at_a_pipe_and_none_is_held(tmp_path: Path, stack: ExitStack):
    os.mkfifo(tmp_path / "pipe")

    opened = open_file(spot(tmp_path, "pipe", stack), (tmp_path / "pipe").stat(), stack)

    assert os.fstat(opened).st_ino == (tmp_path / "pipe").stat().st_ino
    with pytest.raises(Refused):
        hold(spot(tmp_path, "pipe", stack), stack)


def test_a_name_is_guessable_unless_said_otherwise(tmp_path: Path, stack: ExitStack):
    assert not spot(tmp_path, "a", stack).unguessed


def test_two_things_are_the_same_only_when_both_are_there(tmp_path: Path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("x")
    one, other = (tmp_path / "a").stat(), (tmp_path / "b").stat()

    assert same(one, (tmp_path / "a").stat())
    assert not same(one, other)
    assert not same(None, one)
    assert not same(one, None)
    assert not same(None, None)


def test_only_what_lies_in_a_kept_place_is_ours(tmp_path: Path, stack: ExitStack):
    plain = spot(tmp_path, "a", stack)

    assert not plain.is_ours
    assert not replace(plain, about="/r/kept:").is_ours
    assert replace(plain, about="kept:1/a").is_ours


@pytest.mark.req("FS-06")
def test_a_device_is_refused(tmp_path: Path):
    with fails(Refused, "path.special"):
        kind_of(Path("/dev/null").stat(), "x")


@pytest.fixture(scope="module")
def maze(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("maze").resolve()
    (base / "a/b").mkdir(parents=True)
    (base / "f").touch()
    for name, target in (
        ("l", "a"),
        ("a/up", ".."),
        ("abs", str(base / "a")),
        ("a/b/far", "../../l/b"),
        ("dead", "no/x"),
        ("dots", "./a/.//./b/."),
    ):
        (base / name).symlink_to(target)
    return base


@example(names=["dots"])
@example(names=["dots", "far"])
@given(names=st.lists(st.sampled_from(["a", "b", "up", "l", "abs", "far", "dead", "dots", "f", "x"]), max_size=7))
def test_it_leads_where_the_system_says(maze: Path, names: list[str]):
    path = "/".join([str(maze), *names])

    assert follow_links(path, path) == os.path.realpath(path)


def test_forty_links_are_followed_and_one_more_is_too_many(tmp_path: Path):
    (tmp_path / "0").touch()
    for number in range(1, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))

    assert follow_links(f"{tmp_path}/40", "x").endswith("/0")
    with pytest.raises(ProviderError, match="“~/x”"):
        follow_links(f"{tmp_path}/41", "~/x")


def test_a_path_may_be_as_long_as_the_system_takes_it():
    longest = "/" + "x/" * 2046 + "yy"

    assert len(longest) == os.pathconf("/", "PC_PATH_MAX") - 1
    assert follow_links(longest, "~/x") == longest
    with fails(ProviderError, "path.too_long"):
        follow_links(longest + "y", "~/x")


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Path]:
    """Return a folder of the same disk, mounted a second time."""
    (tmp_path / "again").mkdir()
    (tmp_path / "data").mkdir()
    mount("--bind", tmp_path / "data", tmp_path / "again")
    yield tmp_path / "again"
    subprocess.run(["umount", tmp_path / "again"], check=True)


def test_one_file_system_mounted_twice_is_two(tmp_path: Path, again: Path):
    folders = [os.open(folder, FOLDER) for folder in (tmp_path, tmp_path / "data", again)]
    try:
        mounts = [mount_of(folder) for folder in folders]
        assert len({os.fstat(folder).st_dev for folder in folders}) == 1
        assert mounts[0] == mounts[1] != mounts[2]
        assert top_of(str(again), folders[2]) == str(again)
    finally:
        for folder in folders:
            os.close(folder)


def test_what_is_mounted_within_is_found(disk: Path, tmp_path: Path):
    assert mounts_within(str(disk.parent)) == [str(disk)]
    assert mounts_within(str(disk)) == [str(disk)]
    assert mounts_within(str(tmp_path / "outside")) == []


def test_a_folder_that_only_begins_like_a_mount_point_holds_none(disk: Path):
    assert mounts_within(str(disk)[:-1]) == []
    assert mounts_within(f"{disk}/x") == []


def test_all_mounts_lie_within_the_top_of_the_disk_and_are_told_in_order(disk: Path):
    found = mounts_within("/")

    assert {"/", str(disk)} <= set(found)
    assert found == sorted(found)


@pytest.mark.parametrize("name", ["a b", "a\\b", "a\tb", "a\nb", "ä", "\udcff"], ids=ascii)
def test_a_mount_point_is_found_by_whatever_name(name: str, tmp_path: Path):
    place = tmp_path / name
    place.mkdir()
    mount("-t", "tmpfs", "none", place)
    opened = os.open(place, FOLDER)
    try:
        assert mounts_within(str(tmp_path)) == [str(place)]
        assert top_of(f"{place}", opened) == str(place)
    finally:
        os.close(opened)
        subprocess.run(["umount", place], check=True)


def test_a_mount_begins_above_a_folder_that_lies_deep_in_it(disk: Path):
    (disk / "b/c").mkdir(parents=True)
    opened = os.open(disk / "b/c", FOLDER)
    try:
        assert top_of(str(disk / "b/c"), opened) == str(disk)
    finally:
        os.close(opened)


def test_where_the_system_tells_of_no_mounts_the_device_counts(disk: Path, tmp_path: Path):
    (disk / "b/c").mkdir(parents=True)
    below = str(disk.relative_to(tmp_path))

    def told_by_the_device() -> bool:
        os.chroot(tmp_path)
        on_the_disk, beside = os.open(f"/{below}/b/c", FOLDER), os.open("/home", FOLDER)
        return (
            mount_of(on_the_disk) == os.fstat(on_the_disk).st_dev
            and mount_of(beside) == os.fstat(beside).st_dev
            and top_of(f"/{below}/b/c", on_the_disk) == f"/{below}"
            and top_of("/home", beside) == "/"
            and mounts_within("/") == []
        )

    assert alone(told_by_the_device)


@pytest.mark.req("FS-12")
async def test_a_mount_point_stays_and_a_tree_that_holds_one_too(disk: Path, desk: Desk):
    for path, problem, code in ((disk, Refused, "path.is_root"), (disk.parent, ProviderError, "path.mount_inside")):
        for step in (Rename(str(path), str(desk.documents / "z")), Keep(str(path), TOKEN)):
            with fails(problem, code):
                await desk.do(step)
    with pytest.raises(ProviderError, match="~/Documents/a/disk"):
        await desk.do(Copy(str(disk.parent), str(desk.documents / "z"), TOKEN))
    with pytest.raises(ProviderError):
        await desk.reads.look(str(disk.parent))


async def test_what_lies_on_another_disk_is_kept_on_that_disk_where_no_read_lists_it(disk: Path, desk: Desk):
    path = disk / "a.txt"
    await desk.do(Write(str(path), "old\n", TOKEN))
    before = path.stat()

    left = await desk.do(Keep(str(path), TOKEN + "1"), await desk.facts(path))

    private = disk / f".sayso-{os.geteuid()}"
    assert private.stat().st_mode & 0o777 == 0o700
    assert (private / (TOKEN + "1") / "item").read_text() == "old\n"
    assert (await desk.reads.list(str(disk), 10)).entries == ()
    with pytest.raises(Refused):
        await desk.reads.look(str(private))

    left = await desk.do(Unkeep(str(path), TOKEN + "1"), left.facts)
    assert same(path.stat(), before)
    await desk.do(Replace(str(path), "new\n", TOKEN + "2"), left.facts[:1])
    assert path.read_text() == "new\n"


async def test_a_second_mount_of_the_same_disk_has_its_own_device_and_keeps_its_own_things(tmp_path: Path, again: Path):
    desk = Desk(tmp_path, more_roots=(again,))
    one, other = desk.file("a.txt"), again / "a.txt"
    other.write_text("there")

    devices = [(await desk.reads.look(str(path))).device for path in (one, other)]
    await desk.do(Keep(str(other), TOKEN), await desk.facts(other))

    assert devices[0] != devices[1]
    assert (again / f".sayso-{os.geteuid()}" / TOKEN / "item").read_text() == "there"
    with fails(ProviderError, "disk.other"):
        await desk.do(Rename(str(one), str(other)), await desk.facts(one))
    assert one.exists()
    desk.backend.close()


async def test_a_private_folder_that_is_a_link_or_belongs_to_another_is_not_used(disk: Path, desk: Desk):
    private = disk / f".sayso-{os.geteuid()}"
    private.symlink_to(desk.outside)

    with fails(ProviderError, "disk.no_place"):
        await desk.do(Write(str(disk / "a"), "x", TOKEN))
    private.unlink()
    private.mkdir(mode=0o700)
    os.chown(private, 12345, 12345)
    with pytest.raises(ProviderError):
        await desk.do(Write(str(disk / "a"), "x", TOKEN))

    assert list(desk.outside.iterdir()) == []


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
