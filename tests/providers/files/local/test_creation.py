"""Content is copied byte for byte, holes as holes, and read back."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError, Refused
from sayso.providers.files.local.creation import copy_attributes, copy_content
from sayso.providers.files.model import Copy, MakeFolders, RemoveFolders, Replace, SameFolder, Trash, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, content, free, names, said_by, tree
from tests.providers.files.local.kernels import mount


@given(
    pieces=st.lists(st.tuples(st.integers(0, 2**18), st.binary(max_size=5000)), max_size=4), end=st.integers(0, 2**18)
)
def test_any_content_comes_out_the_same(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[int, bytes]], end: int
):
    base = tmp_path_factory.mktemp("copy")
    with (base / "a").open("wb") as file:
        for at, data in pieces:
            file.seek(at)
            file.write(data)
        file.truncate(max(end, file.seek(0, os.SEEK_END)))
    source, target = os.open(base / "a", os.O_RDONLY), os.open(base / "b", os.O_RDWR | os.O_CREAT)

    copy_content(source, target, "a")

    os.close(source)
    os.close(target)
    assert (base / "a").read_bytes() == (base / "b").read_bytes()


def test_powers_are_given_on_with_their_owner_only(tmp_path: Path):
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    (tmp_path / "a").chmod(0o4750)
    source, target = os.open(tmp_path / "a", os.O_RDONLY), os.open(tmp_path / "b", os.O_RDWR)

    copy_attributes(source, target, os.fstat(source))

    os.close(source)
    os.close(target)
    assert (tmp_path / "b").stat().st_mode & 0o7777 == 0o4750


@pytest.mark.timeout(120)
async def test_a_tree_of_many_things_is_copied_whole(desk: Desk):
    source, target = desk.documents / "a", desk.documents / "b"
    for number in range(300):
        desk.file(f"a/{number % 7}/{number}", str(number))

    await desk.do(Copy(str(source), str(target), TOKEN), await desk.facts(source), await desk.room(target))

    assert content(target) == content(source)


async def test_names_that_are_no_text_are_copied_exactly(desk: Desk):
    folder = desk.documents / "a"
    folder.mkdir()
    os.close(os.open(os.fsencode(folder) + b"/\xff\n.txt", os.O_CREAT | os.O_WRONLY))

    await desk.do(Copy(str(folder), str(desk.documents / "b"), TOKEN), await desk.facts(folder))

    assert [os.fsencode(name) for name in names(desk.documents / "b")] == [b"\xff\n.txt"]


@pytest.mark.req("S0-36", "TO-05")
async def test_a_new_file_holds_the_bytes_and_has_the_mode_of_new_files(desk: Desk):
    target = desk.documents / "é.txt"
    mask = os.umask(0o077)
    try:
        await desk.do(Write(str(target), "é", TOKEN), await desk.room(target))
    finally:
        os.umask(mask)

    assert target.read_bytes() == b"\xc3\xa9"
    assert target.stat().st_mode & 0o777 == 0o666 & ~mask


async def test_a_file_that_comes_at_the_last_moment_stays(tmp_path: Path):
    target = tmp_path / "home/Documents/a.txt"

    def come(label: str) -> None:
        if label == "files.write.noted":
            target.write_text("came meanwhile")

    desk = Desk(tmp_path, kill=come)

    with fails(ProviderError, "world.changed"):
        await desk.do(Write(str(target), "new", TOKEN), await desk.room(target))

    assert target.read_text() == "came meanwhile"
    assert list((desk.own / "trash").iterdir()) == []


@pytest.mark.req("FS-03")
async def test_nothing_is_made_through_a_dangling_link(desk: Desk):
    (desk.documents / "l").symlink_to(desk.outside / "new")
    (desk.documents / "inside").symlink_to(desk.documents / "not-there")

    for name in ("l", "inside"):
        path = desk.documents / name
        with pytest.raises((Refused, ProviderError)):
            await desk.do(Write(str(path), "x", TOKEN), free(path))
        with pytest.raises(Refused):
            await desk.reads.free(str(path))
        with pytest.raises(Refused):
            await desk.reads.opened(str(path))

    assert list(desk.outside.iterdir()) == []
    assert not (desk.documents / "not-there").exists()


@pytest.mark.req("S0-30")
async def test_a_tree_is_copied_with_modes_times_attributes_and_link_targets(desk: Desk):
    source, target = desk.documents / "a", desk.documents / "copy"
    run = desk.file("a/b/run.sh", "#!/bin/sh\n")
    run.chmod(0o750)
    os.setxattr(run, "user.colour", b"green")
    desk.file("a/b/read-only").chmod(0o444)
    (source / "b" / "l").symlink_to("../somewhere/else")
    (source / "b").chmod(0o555)
    os.utime(run, ns=(1_000_000_001, 2_000_000_003))
    os.utime(source / "b", ns=(5, 7_000_000_009))
    os.utime(source, ns=(5, 8_000_000_009))
    before = tree(source)

    await desk.do(Copy(str(source), str(target), TOKEN), await desk.facts(source), await desk.room(target))

    assert content(target) == content(source)
    assert tree(source) == before
    assert os.getxattr(target / "b/run.sh", "user.colour") == b"green"
    assert (target / "b").stat().st_mtime_ns == 7_000_000_009
    assert target.stat().st_mtime_ns == 8_000_000_009
    assert str((target / "b/l").readlink()) == "../somewhere/else"
    assert said_by("diff", "-r", "--no-dereference", source, target) == ""


async def test_a_link_is_copied_as_a_link(desk: Desk):
    (desk.documents / "l").symlink_to("nowhere")
    target = desk.documents / "m"

    await desk.do(Copy(str(desk.documents / "l"), str(target), TOKEN), await desk.facts(desk.documents / "l"))

    assert str((target).readlink()) == "nowhere"


async def test_a_source_that_changes_while_it_is_copied_fails_and_leaves_nothing(tmp_path: Path):
    source, target = tmp_path / "home/Documents/a", tmp_path / "home/Documents/b"

    def change(label: str) -> None:
        if label == "files.copy.built":
            (source / "x").write_text("Old\n")

    desk = Desk(tmp_path, kill=change)
    desk.file("a/x")

    with fails(ProviderError, "world.changed", match="changed while it was being copied"):
        await desk.do(Copy(str(source), str(target), TOKEN), await desk.facts(source), await desk.room(target))

    assert not target.exists()
    assert list((desk.own / "trash").iterdir()) == []


async def test_a_pipe_within_a_tree_is_not_copied(desk: Desk):
    desk.file("a/x")
    os.mkfifo(desk.documents / "a/pipe")
    target = desk.documents / "b"

    with fails(Refused, "path.special"):
        await desk.do(Copy(str(desk.documents / "a"), str(target), TOKEN), await desk.facts(desk.documents / "a"))

    assert not target.exists()
    assert list((desk.own / "trash").iterdir()) == []


@pytest.mark.req("S0-32")
async def test_folders_are_made_all_at_once_and_taken_away_again(desk: Desk):
    top = desk.documents / "a"
    before = content(desk.documents)

    left = await desk.do(MakeFolders(str(top), ("b", "c"), TOKEN), await desk.room(top))

    found = (top / "b" / "c").stat()
    assert SameFolder(str(top / "b" / "c"), found.st_dev, found.st_ino) in left.facts
    assert found.st_mode & 0o777 == 0o755

    await desk.do(RemoveFolders(str(top), TOKEN), left.facts)

    assert content(desk.documents) == before


@pytest.mark.parametrize("name", ["..", "a/b", "", ".", ".ssh"])
async def test_names_that_lead_elsewhere_or_are_denied_are_refused(desk: Desk, name: str):
    with pytest.raises(Refused):
        await desk.do(MakeFolders(str(desk.documents / "a"), (name,), TOKEN))

    assert list(desk.documents.iterdir()) == []


async def test_a_file_that_slips_into_folders_while_they_are_taken_away_comes_back(tmp_path: Path):
    top = tmp_path / "home/Documents/a"

    def slip(label: str) -> None:
        if label == "files.remove_folders.noted":
            (top / "mine").write_text("x")

    desk = Desk(tmp_path, kill=slip)
    top.mkdir()

    with fails(ProviderError, "world.changed"):
        await desk.do(RemoveFolders(str(top), TOKEN), await desk.facts(top))

    assert (top / "mine").read_text() == "x"


@pytest.mark.req("FS-06")
async def test_a_huge_file_of_holes_is_looked_at_and_copied_at_once(desk: Desk):
    source, target = desk.documents / "huge", desk.documents / "copy"
    size = 10**12
    with source.open("wb") as file:
        file.truncate(size)
        file.seek(5 * 10**11)
        file.write(b"here")

    item = await desk.reads.look(str(source))
    await desk.do(Copy(str(source), str(target), TOKEN), (item.fact,), await desk.room(target))

    found = target.stat()
    assert item.size == found.st_size == size
    assert found.st_blocks < 10_000
    with target.open("rb") as file:
        file.seek(5 * 10**11)
        assert file.read(5) == b"here\0"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Return a disk of one megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=1m", "none", place)
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.req("FS-16")
async def test_a_full_disk_fails_in_a_sentence_and_leaves_nothing(tmp_path: Path, small: Path):
    desk = Desk(tmp_path, more_roots=(small,))
    big = desk.file("big", os.urandom(2**21))
    edited = small / "edited"
    edited.write_text("original")
    (small / ".sayso-0").mkdir(mode=0o700)
    before = content(small)

    for step in (
        Write(str(small / "new"), "x" * 2**21, TOKEN),
        Copy(str(big), str(small / "new"), TOKEN),
        Replace(str(edited), "x" * 2**21, TOKEN),
    ):
        with fails(ProviderError, "disk.full", match="the disk is full"):
            await desk.do(step)
    (small / "filler").write_bytes(b"x" * (2**20 - small.stat().st_blksize))
    item = await desk.reads.look(str(edited))
    entry = await desk.reads.trash_entry(item)
    with pytest.raises(ProviderError, match="the disk is full"):
        await desk.do(Trash(str(edited), str(entry)), (item.fact,))
    assert list(small.glob(".Trash-*/info/*")) == []
    desk.backend.close()
    shutil.rmtree(small / f".Trash-{os.geteuid()}")
    (small / "filler").unlink()

    assert content(small) == before


async def test_a_new_file_in_a_folder_that_hands_on_its_group_gets_that_group(desk: Desk):
    shared = desk.documents / "shared"
    shared.mkdir()
    shared.chmod(0o2775)
    group = shared.stat().st_gid

    await desk.do(Write(str(shared / "a"), "x", TOKEN))
    await desk.do(MakeFolders(str(shared / "b"), ("c",), TOKEN + "2"))

    assert (shared / "a").stat().st_gid == group
    assert (shared / "b" / "c").stat().st_mode & 0o7777 == 0o2755
