"""On a full disk and in a read-only home, sayso says what is the matter in one sentence, and the log still reads."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.providers.files.local.kernels import mount
from tests.surfaces.cli.person import sayso

PAGE = 4096


@pytest.fixture
def home(tmp_path: Path, person: Path) -> Iterator[Path]:
    """Return a home of sayso's on a disk of two megabytes, in which something was done."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=2m", "none", disk)
    (disk / "own").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAYSO_HOME", str(disk / "own"))
        sayso("run", "-", "--dialect", "lines", "--yes", text='FILE_MKDIR "~/Documents/Taxes"')
        yield disk / "own"
    subprocess.run(["umount", "-l", disk], check=True)


def fill(home: Path) -> None:
    """Fill the disk to its last byte."""
    with (home.parent / "fill").open("ab", buffering=0) as opened:
        try:
            while opened.write(b"x" * PAGE):
                pass
        except OSError:
            return


def close(home: Path) -> None:
    """Mount the disk anew, so that nothing can be written to it."""
    mount("-o", "remount,ro", home.parent)


@pytest.mark.parametrize(
    ("state", "code", "says"),
    [(fill, "journal.full", "the disk with the journal"), (close, "journal.read_only", "read-only")],
)
def test_what_is_the_matter_is_named_and_the_log_still_reads(
    state: Callable[[Path], None], code: str, says: str, home: Path, person: Path
):
    action = sayso("log", "--json").document["rows"][0]["id"]
    state(home)

    refused = sayso("run", "-", "--dialect", "lines", "--yes", "--json", text='FILE_MKDIR "~/Documents/Other"')
    undone = sayso("undo", "--yes", "--json")
    log, shown, waiting = sayso("log"), sayso("show", action), sayso("pending")
    proved, exported = sayso("log", "verify"), sayso("log", "export")

    assert (refused.document["code"], undone.document["code"]) == (code, code)
    assert says in refused.document["error"]
    assert str(home / "sayso.db") in refused.document["error"]
    assert "so nothing was done; " in refused.document["error"]
    assert not (person / "Documents" / "Other").exists()
    assert (log.code, "Create folder “~/Documents/Taxes”" in log.out) == (0, True)
    assert log.err.count(says) == 1
    assert "What was written before is shown all the same." in log.err
    assert (shown.code, waiting.code, waiting.out) == (0, 0, "Nothing waits for you.\n")
    assert waiting.err.count(says) == 1
    assert (proved.code, exported.code, action in exported.out) == (0, 0, True)


def test_with_room_again_all_goes_on(home: Path, person: Path):
    fill(home)
    sayso("log")
    (home.parent / "fill").unlink()

    run = sayso("run", "-", "--dialect", "lines", "--yes", "--json", text='FILE_MKDIR "~/Documents/Other"')

    assert run.code == 0
    assert (person / "Documents" / "Other").is_dir()
    assert sayso("log", "verify").code == 0
    assert sorted(file.name for file in home.iterdir() if "wal" in file.name) == []


def test_a_new_home_on_a_full_disk_says_so(home: Path, person: Path):
    other = home.with_name("other")
    fill(home)

    run = sayso("log", "--json", SAYSO_HOME=str(other))

    assert run.code == 2
    assert "full" in run.document["error"] or "No space left" in run.document["error"]
