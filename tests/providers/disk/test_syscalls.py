"""Folders are opened without following a link, and names are exchanged or given only when free, by either mechanism."""

import ctypes
import errno
import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.syscalls import (
    FOLDER,
    RENAMEAT2,
    Beneath,
    beneath,
    exchange,
    from_the_top,
    in_words,
    open_below,
    openat2,
    rename_to_free,
    renameat2_by_number,
    sync,
    sync_file_system,
    thing_changed_error,
)
from tests.descriptors import open_descriptors
from tests.providers.files.local.kernels import (
    FSYNC,
    OPENAT2,
    alone,
    error_of,
    has_openat2,
    refuse,
)


@pytest.mark.req("FS-16")
@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (errno.ENOSPC, "disk.full", "the disk is full"),
        (errno.EDQUOT, "disk.full", "share of the disk is full"),
        (errno.EIO, "disk.failed", "reported a fault"),
        (errno.EACCES, "path.not_permitted", "no permission"),
        (errno.EROFS, "disk.read_only", "cannot be written"),
        (errno.EXDEV, "disk.other", "another disk"),
        (errno.EILSEQ, "disk.failed", "could not do this"),
    ],
)
def test_a_fault_is_said(number: int, code: str, words: str):
    problem = in_words(OSError(number, os.strerror(number)), "~/Documents/a")

    assert isinstance(problem, ProviderError)
    assert problem.code == code
    assert words in str(problem)
    assert "“~/Documents/a”" in str(problem)


def test_a_link_on_the_way_is_a_refusal():
    problem = in_words(OSError(errno.ELOOP, "x"), "~/a")

    assert isinstance(problem, Refused)
    assert problem.code == "path.changed"


def test_a_change_says_how():
    assert str(thing_changed_error("~/a", "it is gone")) == "“~/a” has changed since it was looked at: it is gone"


@pytest.fixture
def here(tmp_path: Path):
    opened = os.open(tmp_path, FOLDER)
    yield opened
    os.close(opened)


def test_a_folder_below_is_opened(way: Beneath, tmp_path: Path, here: int):
    (tmp_path / "a/b").mkdir(parents=True)

    for path, folder in (
        ("a/b", tmp_path / "a/b"),
        ("", tmp_path),
        ("a", tmp_path / "a"),
        ("./a//b/.", tmp_path / "a/b"),
    ):
        opened = way(here, path)
        assert os.fstat(opened).st_ino == folder.stat().st_ino
        assert not os.get_inheritable(opened)
        os.close(opened)


def test_another_disk_that_is_mounted_below_is_opened(way: Beneath, disk: Path, here: int):
    opened = way(here, "home/Documents/a/disk")

    assert os.path.samestat(os.fstat(opened), disk.stat())
    os.close(opened)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [("l", errno.ELOOP), ("l/b", errno.ELOOP), ("a/../..", errno.EXDEV), ("f", errno.ENOTDIR), ("x", errno.ENOENT)],
)
def test_links_and_ways_out_are_not_followed(way: Beneath, tmp_path: Path, here: int, path: str, wrong: int):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "l").symlink_to("a")
    (tmp_path / "f").touch()

    with pytest.raises(OSError, match=r".") as said:
        way(here, path)

    assert said.value.errno == wrong


def test_openat2_is_chosen_where_the_kernel_has_it_and_nothing_stays_open():
    before = open_descriptors()

    chosen = beneath()

    assert open_descriptors() <= before
    assert (chosen is openat2) is alone(has_openat2)
    assert chosen in {openat2, open_below}


@pytest.mark.parametrize("wrong", [errno.ENOSYS, errno.EPERM], ids=["older kernel", "not permitted"])
def test_where_the_kernel_has_no_openat2_one_name_is_opened_after_the_other(wrong: int):
    def chosen_without_it() -> bool:
        refuse(OPENAT2, wrong)
        return beneath() is open_below

    assert beneath() in {openat2, open_below}
    assert alone(chosen_without_it)


@pytest.mark.parametrize("wrong", [errno.EAGAIN, errno.EINTR], ids=["again", "interrupted"])
def test_a_kernel_that_says_again_is_not_asked_for_ever(wrong: int, here: int):
    def ends() -> bool:
        refuse(OPENAT2, wrong)
        return error_of(lambda: openat2(here, "none")) == errno.ELOOP

    if beneath() is openat2:
        assert error_of(lambda: openat2(here, "none")) == errno.ENOENT
    assert alone(ends)


def test_a_program_without_a_standard_input_opens_folders_too(way: Beneath, tmp_path: Path, here: int):
    (tmp_path / "a").mkdir()

    def opens() -> bool:
        os.close(0)
        return os.path.samestat(os.fstat(way(here, "a")), (tmp_path / "a").stat())

    assert alone(opens)


def test_a_folder_is_opened_from_the_top_through_no_link(tmp_path: Path):
    folder = tmp_path.resolve() / "a/b"
    folder.mkdir(parents=True)
    (tmp_path / "l").symlink_to("a")
    (tmp_path / "f").touch()
    before = open_descriptors()

    opened = from_the_top(str(folder))
    same = os.path.samestat(os.fstat(opened), folder.stat())
    os.close(opened)
    wrong = [error_of(lambda name=name: from_the_top(f"{folder.parent.parent}/{name}")) for name in ("l/b", "f", "x")]

    assert same
    assert wrong == [errno.ELOOP, errno.ENOTDIR, errno.ENOENT]
    assert open_descriptors() <= before


def test_a_name_is_given_only_when_it_is_free(tmp_path: Path, here: int):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")

    with pytest.raises(FileExistsError):
        rename_to_free(here, "a", here, "b")
    rename_to_free(here, "a", here, "c")

    assert (tmp_path / "b").read_text() == "b"
    assert (tmp_path / "c").read_text() == "a"


def test_two_names_are_exchanged(tmp_path: Path, here: int):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")

    exchange(here, "a", here, "b")

    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("b", "a")
    with pytest.raises(FileNotFoundError):
        exchange(here, "a", here, "none")


def test_what_could_not_be_renamed_is_named_at_both_ends(tmp_path: Path, here: int):
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()

    with pytest.raises(FileExistsError) as said:
        rename_to_free(here, "a", here, "b")

    assert (said.value.filename, said.value.filename2) == ("a", "b")


def test_a_rename_may_be_asked_for_by_number_where_it_has_no_name(tmp_path: Path, here: int):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")

    taken = renameat2_by_number(here, b"a", here, b"b", 1)
    wrong = ctypes.get_errno()
    free = renameat2_by_number(here, b"a", here, b"c", 1)

    assert (taken, wrong, free) == (-1, errno.EEXIST, 0)
    assert ((tmp_path / "b").read_text(), (tmp_path / "c").read_text()) == ("b", "a")


def test_its_number_is_the_one_that_the_kernel_gave_it_on_each_machine():
    assert RENAMEAT2 == {"x86_64": 316, "aarch64": 276}


def test_folders_and_file_systems_are_synced(here: int):
    sync(here)
    sync_file_system(here)

    with pytest.raises(OSError, match=r"."):
        sync_file_system(-1)


def test_what_cannot_be_synced_is_no_fault(here: int):
    held = os.open(".", os.O_PATH, dir_fd=here)
    ends = os.pipe()

    wrong = [error_of(lambda one=one: os.fsync(one)) for one in (held, ends[0])]
    ours = [error_of(lambda one=one: sync(one)) for one in (held, ends[0])]

    assert (wrong, ours) == ([errno.EBADF, errno.EINVAL], [0, 0])
    for one in (held, *ends):
        os.close(one)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(errno.ENOTSUP, 0), (errno.EIO, errno.EIO), (errno.ENOSPC, errno.ENOSPC), (errno.EDQUOT, errno.EDQUOT)],
    ids=["not here", "broken disk", "full disk", "no more for you"],
)
def test_what_did_not_reach_the_disk_is_never_passed_over(wrong: int, said: int, here: int):
    def told() -> bool:
        refuse(FSYNC, wrong)
        return error_of(lambda: sync(here)) == said

    assert (error_of(lambda: sync(here)), error_of(lambda: sync(10**6))) == (0, 0)
    assert alone(told)
