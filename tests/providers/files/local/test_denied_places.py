"""What has a protected name is reached by no other: no second mount, no hard link, and not where a link of it leads."""

import os
import subprocess
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sayso.core.errors import Refused
from sayso.providers.disk import denied_places
from sayso.providers.disk.denied_places import DeniedPlaces, MountNames, protected_by_mount
from sayso.providers.files.model import Copy, Rename, Replace, Write
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, names, tree
from tests.providers.files.local.kernels import mount

Attempt = Callable[[Desk], Awaitable[object]]


@contextmanager
def mounted(source: Path, place: Path) -> Generator[None]:
    """Mount what is at one place at another one too."""
    mount("--bind", source, place)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.fixture
def keys(desk: Desk) -> Iterator[Desk]:
    """Return a desk with keys in `~/.ssh`, which is mounted within the documents after sayso was started."""
    (desk.home / ".ssh" / "old").mkdir(parents=True)
    for name in ("id", "old/id"):
        (desk.home / ".ssh" / name).write_text("secret\n")
    place = desk.documents / "bind"
    place.mkdir()
    with mounted(desk.home / ".ssh", place):
        yield desk


THROUGH_A_MOUNT: dict[str, Attempt] = {
    "look": lambda desk: desk.reads.look("~/Documents/bind"),
    "look inside": lambda desk: desk.reads.look("~/Documents/bind/id"),
    "opened": lambda desk: desk.reads.opened("~/Documents/bind/id"),
    "read": lambda desk: desk.reads.read("~/Documents/bind/id", 100),
    "read below": lambda desk: desk.reads.read("~/Documents/bind/old/id", 100),
    "list": lambda desk: desk.reads.list("~/Documents/bind", 100),
    "list below": lambda desk: desk.reads.list("~/Documents/bind/old", 100),
    "find": lambda desk: desk.reads.find("~/Documents/bind", "*", 100),
    "glance": lambda desk: desk.reads.glance("~/Documents/bind", frozenset(), 10, 10),
    "free": lambda desk: desk.reads.free("~/Documents/bind/authorized_keys"),
    "gap": lambda desk: desk.reads.gap("~/Documents/bind/new/folder"),
    "exists": lambda desk: desk.reads.exists("~/Documents/bind/id"),
    "write": lambda desk: desk.do(Write(f"{desk.documents}/bind/authorized_keys", "x", TOKEN)),
    "replace": lambda desk: desk.do(Replace(f"{desk.documents}/bind/id", "x", TOKEN)),
    "append": lambda desk: desk.do(Replace(f"{desk.documents}/bind/id", "x", TOKEN, append=True)),
    "rename": lambda desk: desk.do(Rename(f"{desk.documents}/bind/id", f"{desk.documents}/id")),
    "rename into": lambda desk: desk.do(Rename(f"{desk.documents}/a.txt", f"{desk.documents}/bind/a.txt")),
    "copy": lambda desk: desk.do(Copy(f"{desk.documents}/bind/old", f"{desk.documents}/old", TOKEN)),
}


@pytest.mark.parametrize("what", THROUGH_A_MOUNT)
async def test_a_protected_folder_is_not_reached_through_a_second_mount(keys: Desk, what: str):
    keys.file("a.txt")
    before = tree(keys.home / ".ssh")

    with fails(Refused, "path.denied_place", match="is another name of “~/.ssh"):
        await THROUGH_A_MOUNT[what](keys)

    assert tree(keys.home / ".ssh") == before
    assert names(keys.documents) == ["a.txt", "bind"]


async def test_a_search_neither_shows_nor_enters_a_second_mount(keys: Desk):
    keys.file("a/id")

    found = await keys.reads.find("~/Documents", "*", 100)
    listed = await keys.reads.list("~/Documents", 100)

    assert [entry.name for entry in found.entries] == ["a", "id"]
    assert [entry.name for entry in listed.entries] == ["a"]


async def test_an_unmounted_place_is_an_ordinary_one_again_at_once(desk: Desk):
    (desk.home / ".ssh").mkdir()
    place = desk.documents / "bind"
    place.mkdir()

    with mounted(desk.home / ".ssh", place), fails(Refused, "path.denied_place"):
        await desk.reads.list("~/Documents/bind", 100)

    assert (await desk.reads.list("~/Documents/bind", 100)).entries == ()


@pytest.mark.parametrize(
    ("source", "path"),
    [
        (".ssh/id", "Documents/bind"),  # one file, mounted on another
        (".config", "Documents/bind/fish/config.d"),  # the folder above has an ordinary name
        (".mozilla/firefox/a.profile", "Documents/bind/logins.json"),  # a folder deep in a protected one
    ],
)
async def test_a_part_of_a_protected_place_and_what_holds_one_are_known_too(desk: Desk, source: str, path: str):
    (desk.home / source).parent.mkdir(parents=True, exist_ok=True)
    target = desk.documents / "bind"
    if source.endswith("id"):
        (desk.home / source).write_text("secret")
        target.touch()
    else:
        (desk.home / source).mkdir()
        target.mkdir()

    with mounted(desk.home / source, target), fails(Refused, "path.denied_place"):
        await desk.reads.exists(str(desk.home / path))


async def test_a_folder_that_is_in_use_as_a_protected_one_is_not_reached_by_its_own_name(desk: Desk):
    (desk.home / ".ssh").mkdir()
    desk.file("keys/id", "secret")

    with mounted(desk.documents / "keys", desk.home / ".ssh"), fails(Refused, "path.denied_place"):
        await desk.reads.read("~/Documents/keys/id", 100)


@pytest.mark.parametrize("name", [".ssh/id", ".netrc", ".config/fish/config.fish", ".mozilla/firefox/p/logins.json"])
async def test_a_hard_link_to_a_file_in_a_protected_place_is_not_reached(each_desk: Desk, name: str):
    desk = each_desk
    (desk.home / name).parent.mkdir(parents=True, exist_ok=True)
    (desk.home / name).write_text("secret\n")
    hard = desk.documents / "a" / "hard.txt"
    hard.parent.mkdir()
    os.link(desk.home / name, hard)
    target = str(desk.documents / "b")

    attempts: list[Awaitable[object]] = [
        desk.reads.read(str(hard), 100),
        desk.reads.look(str(hard)),
        desk.reads.look(str(hard.parent)),
        desk.do(Copy(str(hard), target, TOKEN)),
        desk.do(Copy(str(hard.parent), target, TOKEN)),
        desk.do(Rename(str(hard), target)),
        desk.do(Replace(str(hard), "pwned", TOKEN, append=True)),
    ]
    for attempt in attempts:
        with fails(Refused, "path.denied_place"):
            await attempt

    assert [entry.name for entry in (await desk.reads.find("~/Documents", "*", 100)).entries] == ["a"]
    assert (desk.home / name).read_text() == "secret\n"


async def test_hard_links_among_the_persons_own_files_stay_reachable(desk: Desk):
    (desk.home / ".ssh").mkdir()
    os.link(desk.file("a.txt", "mine\n"), desk.documents / "b.txt")

    assert (await desk.reads.read("~/Documents/b.txt", 100)).text == "mine\n"


async def test_what_a_protected_link_leads_to_is_protected(desk: Desk):
    desk.file("dotfiles/ssh/id", "secret\n")
    desk.file("dotfiles/other", "mine\n")
    (desk.home / ".ssh").symlink_to(desk.documents / "dotfiles" / "ssh")

    with fails(Refused, "path.denied_place"):
        await desk.reads.read("~/Documents/dotfiles/ssh/id", 100)

    assert (await desk.reads.read("~/Documents/dotfiles/other", 100)).text == "mine\n"
    assert [entry.name for entry in (await desk.reads.find("~/Documents", "*", 9)).entries] == ["dotfiles", "other"]


def test_what_a_person_keeps_elsewhere_behind_a_link_is_protected_there(tmp_path: Path):
    home = tmp_path / "home"
    kept = home / "dotfiles" / "config" / "fish"
    kept.mkdir(parents=True)
    (kept / "config.fish").touch()
    (home / ".config").symlink_to(home / "dotfiles" / "config")

    denied = DeniedPlaces(str(home))

    found = (kept / "config.fish").stat()
    assert (found.st_dev, found.st_ino) in denied.numbers()
    assert denied.targets() == (str(kept),)


def test_a_link_that_is_put_in_place_of_a_folder_later_is_not_followed(tmp_path: Path):
    home, outside = tmp_path / "home", tmp_path / "outside"
    (home / ".config" / "fish").mkdir(parents=True)
    (outside / "fish").mkdir(parents=True)
    (outside / "fish" / "theirs").touch()
    denied = DeniedPlaces(str(home))

    (home / ".config").rename(home / "moved")
    (home / ".config").symlink_to(outside)

    assert denied.numbers() == frozenset()
    assert denied.targets() == ()


def test_a_file_that_comes_into_a_protected_place_is_known_at_once(tmp_path: Path):
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id").touch()
    denied = DeniedPlaces(str(tmp_path))
    before = denied.numbers()

    for name in (".ssh/new", ".netrc"):
        (tmp_path / name).touch()

    added = [(tmp_path / name).stat() for name in (".ssh/new", ".netrc")]
    assert denied.numbers() == before | {(found.st_dev, found.st_ino) for found in added}


def test_of_very_many_files_the_outer_ones_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(denied_places, "MOST_SEARCHED", 4)
    (tmp_path / ".mozilla" / "deep").mkdir(parents=True)
    for name in ("a", "b", "c", "d", "e"):
        (tmp_path / ".mozilla" / "deep" / name).touch()
    (tmp_path / ".mozilla" / "z").touch()

    found = (tmp_path / ".mozilla" / "z").stat()
    known = DeniedPlaces(str(tmp_path)).numbers()
    assert (found.st_dev, found.st_ino) in known
    assert len(known) <= 4


def test_a_file_that_a_mail_brings_is_not_saved_through_a_second_mount_either(keys: Desk):
    own = str(keys.own)

    assert protected_by_mount(f"{keys.documents}/bind", own) == f"{keys.home}/.ssh"
    assert protected_by_mount(f"{keys.documents}/other", own) is None


def test_where_the_system_has_no_table_of_mounts_there_are_no_other_names(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(denied_places, "MOUNT_TABLE", "/nowhere")

    assert MountNames().of("/home/ana") == ()
