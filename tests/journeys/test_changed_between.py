"""What was exchanged between the question and the yes is not handed to another program, and the person is told why."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from sayso.assembly import Home
from sayso.core.memory_backend import MemoryBackend
from sayso.core.plan import OpenFile
from sayso.providers.desktop.model import DesktopState
from sayso.testing.fakes import Says
from tests.journeys.ground import Ground, a_ground, in_mode, only

OPEN = "OPEN_FILE ~/Documents/a.txt"
Change = Callable[[Path], None]


def exchanged(file: Path) -> None:
    """Put another file of the same size and time in the place of one."""
    before, other = file.stat(), file.with_name("other")
    other.write_bytes(b"x" * before.st_size)
    other.chmod(before.st_mode)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)


def rewritten(file: Path) -> None:
    """Write another content of the same size into a file, and put its time back."""
    before = file.stat()
    file.write_bytes(b"x" * before.st_size)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def become_a_folder(file: Path) -> None:
    """Put a folder in the place of a file."""
    file.unlink()
    file.mkdir()


def become_a_link(file: Path) -> None:
    """Put a link to another file in the place of a file."""
    file.unlink()
    file.symlink_to(file.with_name("elsewhere.txt"))


CHANGES: dict[str, tuple[Change, str]] = {
    "exchanged": (exchanged, "another file is there now"),
    "content": (rewritten, "its content is different"),
    "mode": (lambda file: file.chmod(0o755), "its permissions were 640 and are now 755"),
    "a folder": (become_a_folder, "another folder is there now"),
    "a link": (become_a_link, "a"),
    "gone": (Path.unlink, "it is gone"),
    "owner": (lambda file: os.chown(file, 4711, 4711), "it belonged to "),
}


def a_place(base: Path) -> tuple[Ground, Path]:
    """Lay out a home in which every action is asked about, with a file in it."""
    ground = a_ground(base, in_mode("always"))
    ground.file("elsewhere.txt", "another\n")
    return ground, ground.file("a.txt", "mine\n")


def opens(home: Home) -> list[OpenFile]:
    """Return the files that were handed over to be opened, as the recording desktop has them."""
    desktop = cast("MemoryBackend[DesktopState]", home.tools.backends["desktop"])
    return [step for step in desktop.world.recorded if isinstance(step, OpenFile)]


async def test_a_file_that_stayed_as_it_was_is_opened(tmp_path: Path):
    ground, file = a_place(tmp_path)

    async with ground.opened() as home:
        outcome = only(await home.run(OPEN, approver=Says(True)))
        opened = opens(home)

    assert outcome.record.state.value == "done"
    assert opened == [OpenFile(str(file), passive=True)]


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("when", ["asked at once", "waited"])
async def test_a_file_that_was_changed_after_the_question_is_not_opened(tmp_path: Path, name: str, when: str):
    ground, file = a_place(tmp_path)
    change, why = CHANGES[name]
    if name == "owner" and os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")

    async with ground.opened() as home:
        if when == "waited":
            waiting = only(await home.run(OPEN))
            change(file)
            outcome = only(await home.approve(waiting.record.id, Says(True)))
        else:
            outcome = only(await home.run(OPEN, approver=Says(True, then=lambda: change(file))))
        opened = opens(home)

    assert opened == []
    assert outcome.record.state.value in {"refused", "failed"}
    assert why in (outcome.record.marks.error or "")
    assert outcome.record.marks.begun is None
    assert outcome.record.marks.changes == ()
