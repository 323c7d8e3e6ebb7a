"""What was exchanged between the question and the yes is not handed to another program, and the person is told why."""

import os
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import cast

import pytest

from sayso.assembly import Home
from sayso.core.memory_backend import MemoryBackend
from sayso.core.plan import OpenFile
from sayso.core.proposal import Origin, Proposal
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
    "mode": (lambda file: file.chmod(0o600), "its permissions were 640 and are now 600"),
    "a program": (lambda file: file.chmod(0o755), "is not opened: it is marked as a program"),
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


def opens(home: Home) -> list[str]:
    """Return the files that were handed over to be opened, as the recording desktop has them."""
    desktop = cast("MemoryBackend[DesktopState]", home.tools.backends["desktop"])
    return [step.path for step in desktop.world.recorded if isinstance(step, OpenFile)]


async def test_a_file_that_stayed_as_it_was_is_opened(tmp_path: Path):
    ground, file = a_place(tmp_path)

    async with ground.opened() as home:
        outcome = only(await home.run(OPEN, approver=Says(True)))
        opened = opens(home)

    assert outcome.record.state.value == "done"
    assert opened == [str(file)]


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


def a_mail(own: Path, attached: bytes) -> Path:
    """Write a mail with one file into a maildir; return where it is."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ben@x.test", "ana@x.test", "The list"
    mail["Message-ID"], mail["Date"] = "<one@x.test>", "Mon, 02 Nov 2026 09:00:00 +0000"
    mail.set_content("here it is\n")
    mail.add_attachment(attached, maintype="text", subtype="plain", filename="list.txt")
    for folder in ("cur", "new", "tmp"):
        (own / folder).mkdir(parents=True, exist_ok=True)
    file = own / "cur" / "1762074000.one:2,S"
    file.write_bytes(mail.as_bytes())
    return file


def another_attachment(ground: Ground) -> None:
    """Put a mail with other bytes in the place of the mail."""
    a_mail(ground.home / "Mail", b"theirs")


def another_folder(ground: Ground) -> None:
    """Put another folder in the place of the one that the file was to go to."""
    (ground.documents / "in").rename(ground.documents / "former")
    (ground.documents / "in").mkdir()


def writable_by_all(ground: Ground) -> None:
    """Let everybody write into the folder that the file was to go to."""
    (ground.documents / "in").chmod(0o777)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (another_attachment, "“list.txt” is not what it was when it was shown"),
        (another_folder, "Documents/in” has changed since it was looked at"),
        (writable_by_all, "Documents/in” has changed since it was looked at"),
    ],
    ids=["the attachment", "the folder", "the mode of the folder"],
)
async def test_an_attachment_is_not_saved_when_it_or_its_folder_was_exchanged(
    tmp_path: Path, change: Callable[[Ground], None], why: str
):
    ground = a_ground(tmp_path, in_mode("always", '[mail]\nkind = "maildir"\npath = "~/Mail"\n'))
    (ground.documents / "in").mkdir()
    a_mail(ground.home / "Mail", b"mine")
    call = {"message_id": "<one@x.test>", "number": 1, "path": "~/Documents/in/"}

    async with ground.opened() as home:
        person = Says(True, then=lambda: change(ground))
        report = await home.take([Proposal(0, "", "mail.save_attachment", call)], Origin("tools"), person)

    (outcome,) = report.outcomes
    assert len(person.questions) == 1
    assert outcome.record.state.value in {"refused", "failed"}
    assert why in (outcome.record.marks.error or "")
    assert [file for file in ground.documents.rglob("*") if file.is_file()] == []


async def test_a_file_is_not_opened_when_the_link_that_named_it_leads_elsewhere_by_now(tmp_path: Path):
    ground, file = a_place(tmp_path)
    link = ground.documents / "link.txt"
    link.symlink_to(file)

    def elsewhere() -> None:
        link.unlink()
        link.symlink_to(file.with_name("elsewhere.txt"))

    async with ground.opened() as home:
        outcome = only(await home.run("OPEN_FILE ~/Documents/link.txt", approver=Says(True, then=elsewhere)))
        opened = opens(home)

    assert opened == []
    assert "“~/Documents/link.txt” has changed since it was looked at" in (outcome.record.marks.error or "")


async def test_a_folder_is_not_moved_when_something_in_it_was_exchanged(tmp_path: Path):
    ground, _ = a_place(tmp_path)
    inner = ground.file("in/deep/b.txt", "mine\n")

    async with ground.opened() as home:
        person = Says(True, then=lambda: exchanged(inner))
        outcome = only(await home.run("MOVE_FILE ~/Documents/in ~/Documents/out", approver=person))

    assert not (ground.documents / "out").exists()
    assert "something in it was replaced or written to" in (outcome.record.marks.error or "")


async def test_what_an_earlier_action_of_the_same_yes_makes_is_opened_after_it(tmp_path: Path):
    ground, _ = a_place(tmp_path)

    async with ground.opened() as home:
        report = await home.run(
            'WRITE_FILE ~/Documents/new.txt "mine"\nOPEN_FILE ~/Documents/new.txt', approver=Says(True)
        )
        opened = opens(home)

    assert [outcome.record.state.value for outcome in report.outcomes] == ["done", "done"]
    assert opened == [str(ground.documents / "new.txt")]


async def test_what_would_be_refused_by_now_is_refused_at_the_yes_and_the_rest_is_done(tmp_path: Path):
    ground, _ = a_place(tmp_path)
    ground.file("in/a.yml", "on: push\n")

    def become_protected() -> None:
        (ground.documents / "in" / "a.yml").unlink()
        ground.file("in/workflows", "on: push\n")

    async with ground.opened() as home:
        person = Says(True, then=become_protected)
        report = await home.run(
            "MOVE_FILE ~/Documents/in ~/Documents/.github\nMOVE_FILE ~/Documents/a.txt ~/Documents/b.txt",
            approver=person,
        )

    first, second = report.outcomes
    assert (first.record.state.value, second.record.state.value) == ("refused", "done")
    assert "holds the name “.github/workflows”, which no action may touch" in (first.record.marks.error or "")
    assert not (ground.documents / ".github").exists()
