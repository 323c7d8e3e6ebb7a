"""What is opened at a spot is what was found there, or nothing."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import Refused
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.files.local.spot import Spot, hold, kind_of, open_file, open_folder, same


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


class Fleeting(Spot):
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
    with pytest.raises(Refused) as said:
        kind_of(Path("/dev/null").stat(), "x")

    assert said.value.code == "path.special"
