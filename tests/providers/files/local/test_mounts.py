"""Mounts are told apart even when their device is the same, and found within a folder."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.mounts import mount_of, mounted_at_or_within, top_of
from sayso.providers.files.steps import Copy, Keep, Rename, Replace, Unkeep, Write
from tests.providers.files.local.desk import TOKEN, Desk, tree
from tests.providers.files.local.disks import mount
from tests.providers.files.local.kernels import alone


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
    assert mounted_at_or_within(str(disk.parent)) == [str(disk)]
    assert mounted_at_or_within(str(disk)) == [str(disk)]
    assert mounted_at_or_within(str(tmp_path / "outside")) == []


def test_a_folder_that_only_begins_like_a_mount_point_holds_none(disk: Path):
    assert mounted_at_or_within(str(disk)[:-1]) == []
    assert mounted_at_or_within(f"{disk}/x") == []


def test_all_mounts_lie_within_the_top_of_the_disk_and_are_told_in_order(disk: Path):
    found = mounted_at_or_within("/")

    assert {"/", str(disk)} <= set(found)
    assert found == sorted(found)


@pytest.mark.parametrize("name", ["a b", "a\\b", "a\tb", "a\nb", "ä", "\udcff"], ids=ascii)
def test_a_mount_point_is_found_by_whatever_name(name: str, tmp_path: Path):
    place = tmp_path / name
    place.mkdir()
    mount("-t", "tmpfs", "none", place)
    opened = os.open(place, FOLDER)
    try:
        assert mounted_at_or_within(str(tmp_path)) == [str(place)]
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
            and mounted_at_or_within("/") == []
        )

    assert alone(told_by_the_device)


@pytest.mark.req("FS-12")
async def test_a_mount_point_stays_and_a_tree_that_holds_one_too(disk: Path, tmp_path: Path):
    desk = Desk(tmp_path)
    try:
        for path, problem, code in ((disk, Refused, "path.is_root"), (disk.parent, ProviderError, "path.mount_inside")):
            for step in (Rename(str(path), str(desk.documents / "z")), Keep(str(path), TOKEN)):
                with pytest.raises(problem) as said:
                    await desk.do(step)
                assert said.value.code == code
        with pytest.raises(ProviderError, match="~/Documents/a/disk"):
            await desk.do(Copy(str(disk.parent), str(desk.documents / "z"), TOKEN))
        with pytest.raises(ProviderError):
            await desk.reads.look(str(disk.parent))
    finally:
        desk.backend.close()


async def test_what_lies_on_another_disk_is_kept_on_that_disk_where_no_read_lists_it(disk: Path, tmp_path: Path):
    desk = Desk(tmp_path)
    try:
        path = disk / "a.txt"
        await desk.do(Write(str(path), "old\n", TOKEN))
        before = tree(disk)

        left = await desk.do(Keep(str(path), TOKEN + "1"), await desk.facts(path))
        private = disk / f".sayso-{os.geteuid()}"
        assert private.stat().st_mode & 0o777 == 0o700
        assert (private / (TOKEN + "1") / "item").read_text() == "old\n"
        assert (await desk.reads.list(str(disk), 10)).entries == ()
        with pytest.raises(Refused):
            await desk.reads.look(str(private))

        left = await desk.do(Unkeep(str(path), TOKEN + "1"), left.facts)
        await desk.do(Replace(str(path), "new\n", TOKEN + "2"), left.facts[:1])
        assert [line for line in tree(disk).splitlines() if " a.txt" in line] != before
        assert path.read_text() == "new\n"
    finally:
        desk.backend.close()


async def test_a_second_mount_of_the_same_disk_has_its_own_device_and_keeps_its_own_things(tmp_path: Path, again: Path):
    desk = Desk(tmp_path, more_roots=(again,))
    try:
        one, other = desk.file("a.txt"), again / "a.txt"
        other.write_text("there")

        devices = [(await desk.reads.look(str(path))).device for path in (one, other)]
        await desk.do(Keep(str(other), TOKEN), await desk.facts(other))

        assert devices[0] != devices[1]
        assert (again / f".sayso-{os.geteuid()}" / TOKEN / "item").read_text() == "there"
        with pytest.raises(ProviderError) as said:
            await desk.do(Rename(str(one), str(other)), await desk.facts(one))
        assert said.value.code == "disk.other"
        assert one.exists()
    finally:
        desk.backend.close()


async def test_a_private_folder_that_is_a_link_or_belongs_to_another_is_not_used(disk: Path, tmp_path: Path):
    private = disk / f".sayso-{os.geteuid()}"
    (tmp_path / "outside").mkdir()
    private.symlink_to(tmp_path / "outside")
    desk = Desk(tmp_path)
    try:
        with pytest.raises(ProviderError) as said:
            await desk.do(Write(str(disk / "a"), "x", TOKEN))
        private.unlink()
        private.mkdir(mode=0o700)
        os.chown(private, 12345, 12345)
        with pytest.raises(ProviderError):
            await desk.do(Write(str(disk / "a"), "x", TOKEN))
    finally:
        desk.backend.close()

    assert said.value.code == "disk.no_place"
    assert list((tmp_path / "outside").iterdir()) == []
