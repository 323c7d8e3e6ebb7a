"""Small files are read and changed only as they were expected, whatever somebody else or a crash does meanwhile."""

import os
import stat
import threading
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.plan import Applied, Facts, NotDone, Settlement
from sayso.core.ports import KillPoint, no_kill_point
from sayso.providers.disk.syscalls import Beneath, beneath
from sayso.providers.disk.textfiles import MOST, FolderNames, InThreads, Texts, became_of, etag_of
from sayso.testing.fakes import KillAt, Killed


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "top/Work").mkdir(parents=True)
    return tmp_path / "top"


@pytest.fixture
def texts(top: Path, way: Beneath) -> Texts:
    return Texts(str(top), way)


def test_a_new_file_is_private_and_nothing_else_is_left(texts: Texts, top: Path):
    made = texts.make("Work/a.md", b"one", "t1")

    assert (top / "Work/a.md").read_bytes() == b"one"
    assert made.etag == etag_of(b"one")
    assert stat.S_IMODE((top / "Work/a.md").stat().st_mode) == 0o600
    assert names_in(top / "Work") == ["a.md"]


def test_a_name_that_is_taken_is_not_written_over(texts: Texts, top: Path):
    (top / "a.md").write_bytes(b"theirs")

    with pytest.raises(ProviderError, match="already"):
        texts.make("a.md", b"ours", "t1")

    assert (top / "a.md").read_bytes() == b"theirs"
    assert names_in(top) == ["Work", "a.md"]


def test_an_exchange_keeps_the_mode_and_leaves_nothing_beside(texts: Texts, top: Path):
    (top / "a.md").write_bytes(b"one")
    (top / "a.md").chmod(0o644)

    texts.exchange("a.md", etag_of(b"one"), b"two", "t1")

    assert (top / "a.md").read_bytes() == b"two"
    assert stat.S_IMODE((top / "a.md").stat().st_mode) == 0o644
    assert names_in(top) == ["Work", "a.md"]


@pytest.mark.parametrize("deed", ["exchange", "take_away"])
def test_what_has_changed_since_is_left_alone(texts: Texts, top: Path, deed: str):
    (top / "a.md").write_bytes(b"theirs")

    with pytest.raises(ProviderError, match="has changed"):
        texts.exchange("a.md", etag_of(b"one"), b"two", "t1") if deed == "exchange" else texts.take_away(
            "a.md", etag_of(b"one"), "t1"
        )

    assert (top / "a.md").read_bytes() == b"theirs"
    assert names_in(top) == ["Work", "a.md"]


@pytest.mark.parametrize("point", ["text.written", "text.exchanged"])
def test_a_writer_that_is_faster_keeps_what_it_wrote(top: Path, way: Beneath, point: str):
    (top / "a.md").write_bytes(b"one")
    theirs = top / "theirs"

    def meanwhile(label: str) -> None:
        # Before the exchange an editor saves under the name; after it, through the file it had open.
        if label == "text.written" == point:
            theirs.write_bytes(b"theirs")
            theirs.rename(top / "a.md")
        if label == "text.exchanged" == point:
            (hidden,) = top.glob(".sayso-*.tmp")
            hidden.write_bytes(b"theirs")

    with pytest.raises(ProviderError, match="has changed"):
        Texts(str(top), way, meanwhile).exchange("a.md", etag_of(b"one"), b"two", "t1")

    assert (top / "a.md").read_bytes() == b"theirs"
    assert names_in(top) == ["Work", "a.md"]


@pytest.mark.parametrize("place", ["../a", "Work/../../a", "/etc/passwd", "Work//a", ".", "", "Work/.."])
def test_a_place_that_leads_out_is_refused(texts: Texts, place: str):
    with pytest.raises(SaysoError):
        texts.make(place, b"x", "t1")


@pytest.mark.parametrize("name", ["link.md", "below/a.md"])
def test_no_link_is_followed(texts: Texts, top: Path, tmp_path: Path, name: str):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.md").write_bytes(b"secret")
    (top / "link.md").symlink_to(tmp_path / "out/a.md")
    (top / "below").symlink_to(tmp_path / "out")

    with pytest.raises(SaysoError):
        texts.read(name)
    with pytest.raises(SaysoError):
        texts.exchange(name, etag_of(b"secret"), b"gone", "t1")

    assert (tmp_path / "out/a.md").read_bytes() == b"secret"
    assert texts.names() == FolderNames(("Work",), ())


def test_a_folder_that_became_a_link_is_not_followed(texts: Texts, top: Path, tmp_path: Path):
    top.rename(tmp_path / "moved")
    top.symlink_to(tmp_path / "moved")

    with pytest.raises(SaysoError):
        texts.make("a.md", b"x", "t1")


def test_pipes_and_files_without_end_are_not_read(texts: Texts, top: Path):
    os.mkfifo(top / "pipe.md")
    with (top / "long.md").open("wb") as file:
        file.truncate(MOST + 1)

    with pytest.raises(Refused):
        texts.read("pipe.md")
    with pytest.raises(Refused):
        texts.read("long.md")


@pytest.mark.parametrize("point", ["text.written", "text.exchanged", "text.discarded"])
def test_after_a_crash_the_file_is_whole_and_what_lies_beside_tells_how_far_it_came(
    top: Path, way: Beneath, point: str
):
    (top / "a.md").write_bytes(b"one")

    with pytest.raises(Killed):
        Texts(str(top), way, KillAt(point)).exchange("a.md", etag_of(b"one"), b"two", "t1")

    after = Texts(str(top), way)
    now, aside = after.read("a.md"), after.aside("a.md", "t1")
    assert now is not None
    expected = {"text.written": (b"one", b"two"), "text.exchanged": (b"two", b"one"), "text.discarded": (b"two", None)}
    assert (now.data, aside and aside.data) == expected[point]


def test_what_was_set_aside_gets_its_name_back_only_if_that_is_free(top: Path, way: Beneath):
    (top / "a.md").write_bytes(b"one")
    with pytest.raises(Killed):
        Texts(str(top), way, KillAt("text.set_aside")).take_away("a.md", etag_of(b"one"), "t1")
    texts = Texts(str(top), way)
    (top / "a.md").write_bytes(b"theirs")

    assert not texts.put_back("a.md", "t1")

    (top / "a.md").unlink()
    assert texts.put_back("a.md", "t1")
    assert (top / "a.md").read_bytes() == b"one"


def test_a_missing_folder_is_made_when_asked_to(tmp_path: Path, way: Beneath):
    texts = Texts(str(tmp_path / "a/b"), way)
    assert not texts.is_there()
    assert texts.read("x/y.md") is None

    texts.make_folder("x")

    assert texts.names() == FolderNames(("x",), ())
    assert stat.S_IMODE((tmp_path / "a/b").stat().st_mode) == 0o700


def test_hidden_names_are_not_listed(texts: Texts, top: Path):
    (top / ".hidden").write_bytes(b"")
    (top / "b.md").write_bytes(b"")

    assert texts.names() == FolderNames(("Work",), ("b.md",))
    assert texts.number("b.md") is not None
    assert texts.number("none.md") is None


def texts_aside(top: Path, kill: KillPoint = no_kill_point) -> Texts:
    return Texts(str(top), beneath(), kill)


def became(top: Path) -> str:
    return became_of(texts_aside(top), "a.txt", "token", lambda aside: aside.data == b"mine")


def test_before_anything_was_done_it_is_there_and_without_a_trace_it_is_gone(tmp_path: Path):
    gone = became(tmp_path)
    (tmp_path / "a.txt").write_text("mine")

    assert (gone, became(tmp_path)) == ("gone", "there")


@pytest.mark.parametrize(
    ("aside", "now", "said", "left"),
    [
        ("mine", None, "done", {}),
        ("theirs", None, "changed", {"a.txt": "theirs"}),
        ("theirs", "another", "taken", None),
        ("mine", "another", "taken", None),
    ],
)
def test_what_was_set_aside_says_it(
    tmp_path: Path, aside: str, now: str | None, said: str, left: dict[str, str] | None
):
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(Killed):
        texts_aside(tmp_path, KillAt("text.set_aside")).take_away("a.txt", etag_of(b"mine"), "token")
    (hidden,) = tmp_path.iterdir()
    hidden.write_text(aside)
    if now is not None:
        (tmp_path / "a.txt").write_text(now)

    assert became(tmp_path) == said
    there = {one.name: one.read_text() for one in tmp_path.iterdir()}
    assert there == (left if left is not None else {hidden.name: aside, "a.txt": now})


class Notes(InThreads[str]):
    """A backend that says which thread it works in."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    def _apply(self, step: str, expects: Facts) -> Applied:
        self.threads.append(threading.get_ident())
        return Applied()

    def _settle(self, step: str, expects: Facts) -> Settlement:
        self.threads.append(threading.get_ident())
        return NotDone(step)


async def test_the_disk_keeps_nobody_else_waiting():
    backend = Notes()

    left = await backend.apply("step", ())
    settled = await backend.settle("step", ())

    assert (left, settled) == (Applied(), NotDone("step"))
    assert threading.get_ident() not in backend.threads
