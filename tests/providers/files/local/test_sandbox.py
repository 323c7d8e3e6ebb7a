"""What is opened at a spot is what was found there, or nothing."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.sandbox import (
    Spot,
    follow_links,
    hold,
    kind_of,
    mount_of,
    mounts_within,
    open_file,
    open_folder,
    same,
    top_of,
)
from sayso.providers.files.model import Copy, Keep, Rename, Replace, Unkeep, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk
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
