"""Make a home of sayso with something of everything in it, and write it down as data for `test_older_home.py`.

`python -m tests.golden.make_home tests/cases/home-YYYY-MM`: the sayso that is imported makes it, so that a home of
an older commit is made with `PYTHONPATH` at that commit's `src`. It lies at a fixed place, since digests and the chain
of hashes hold absolute paths.
"""

import fcntl
import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio

import sayso
from sayso.assembly import Home
from sayso.assembly.actions import Actions, Wanted
from sayso.core.conversation import Exchange, TriggerState, UserNote
from sayso.core.decision import Decision
from sayso.core.grant import Wish
from sayso.testing.fakes import FakeClock, KillAt, NumberedIds, Says
from tests.golden.stored import database_text, folder_text

PLACE = Path("/") / "tmp" / "sayso-golden-home"
MADE = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
"""When the home was made; its grants and what waits hold for some time from then on."""


class Ids(NumberedIds):
    """Names that count up and differ in the first characters, which is all that the id of a grant has of one."""

    def token(self) -> str:
        """Return a text with the next number."""
        return f"{self.key():012d}token"


SETTINGS = """\
# The settings of a person.
[policy]
mode = "destructive"
waiting_expires = "24h"
audit_redact = ["*.password"]

[mail]
kind = "maildir"
path = "~/Mail"
address = "ana@example.org"

[calendar]
kind = "vdir"
path = "~/Calendars"
timezone = "Europe/Berlin"

[notes]
kind = "folder"
path = "~/Notes"

[desktop]
kind = "memory"

[apps]
kind = "memory"

[[preset]]
name = "writing"
[[preset.placements]]
app_name = "TextEdit"
monitor = "main"

[[trigger]]
name = "wrap-up"
says = "The working day is over"
schedule = "weekdays 18:00"
zone = "Europe/Berlin"
lines = 'TASK_ADD "Write the diary"'
"""
LEFT_OUT = frozenset({"sayso.db", "tasks.db-shm", "tasks.db-wal"})
"""Files that are written down otherwise, or hold nothing once the database is closed."""
MAIL = """\
From: Bo <bo@example.org>
To: ana@example.org
Subject: {subject}
Message-ID: <{id}@example.org>
Date: Mon, 23 Nov 2026 10:0{id}:00 +0000

Grüße aus Köln.
"""
EVENT = """\
BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//example//EN\r
BEGIN:VEVENT\r
UID:lunch@example.org\r
DTSTAMP:20261101T000000Z\r
DTSTART:20261123T130000Z\r
DTEND:20261123T140000Z\r
SUMMARY:Lunch with Bo\r
END:VEVENT\r
END:VCALENDAR\r
"""
ACTION = """\
config = {
    "id": "note_down",
    "name": "Note down",
    "description": "Makes a task to write something down.",
    "parameterSchema": {
        "type": "object",
        "properties": {"what": {"type": "string", "description": "What to write down."}},
        "required": ["what"],
    },
}


async def handler(params, context):
    context.do("task.add", text=f"Note down {params['what']}")
    return {"success": True, "message": f"Noted {params['what']}"}
"""


async def make(place: Path) -> None:
    """Make the home at a place where nothing is."""
    lay_out(place / "home", place / "sayso")
    clock = FakeClock(MADE)
    async with sayso.open_home(str(place / "sayso"), environ=around(place), clock=clock, ids=Ids(1_000_000)) as opened:
        person = Person(opened, clock, place / "home")
        await person.lets_expire()
        await person.uses_stores()
        moved, written = await person.changes_files()
        await person.fails()
        await person.gives_grants(moved, written)
        await person.leaves_waiting()
        await person.talks()


class Person:
    """Does with an open home what people do."""

    def __init__(self, home: Home, clock: FakeClock, folder: Path) -> None:
        self.home = home
        self.clock = clock
        self.folder = folder

    async def run(self, *lines: str, approver: Says | None = None, waits: bool = False) -> str:
        """Run lines with a yes to what is asked, unless it is to wait; return the id of the first action."""
        approver = None if waits else approver or Says(True)
        text = "\n".join(lines)
        report = await self.home.run(text, approver=approver, session="ask_0000000000001", entry="cli")
        self.clock.advance(seconds=7)
        return report.outcomes[0].record.id

    async def lets_expire(self) -> None:
        """Let an action wait for too long."""
        await self.run("MOVE_FILE ~/Documents/expires.txt ~/Documents/elsewhere.txt", waits=True)
        self.clock.advance(hours=25)
        await self.home.pending()

    async def uses_stores(self) -> None:
        """Change lists, notes, calendar and mail."""
        await self.run('TASK_ADD "Buy milk"', 'TASK_ADD "Call Bo"', 'TASK_ADD_SUBTASK "Call Bo" "Find the number"')
        await self.run('TASK_COMPLETE "Buy milk"')
        await self.run('HABIT_ADD "Meditation" 4', 'HABIT_LOG "Meditation"')
        await self.run('NOTE_CREATE "Plans" "Rest <b>well</b>"', 'NOTE_APPEND "Plans" "and walk"')
        await self.run('CREATE_EVENT "Dentist" "2026-11-25 09:00" "2026-11-25 10:00"')
        await self.run('MAIL_ARCHIVE ["<1@example.org>"]', 'MAIL_STAR ["<2@example.org>"]')

    async def changes_files(self) -> tuple[str, str]:
        """Move, write and delete files, and take one change back; return the ids of a move and of a write."""
        moved = await self.run("MOVE_FILE ~/Documents/a.txt ~/Downloads/a.txt")
        written = await self.run("WRITE_FILE ~/Documents/b.txt anew")
        await self.run("WRITE_FILE ~/Documents/c.txt gone", "FILE_LIST ~/Documents")
        await self.home.undo()
        await self.run("DELETE_FILE ~/Documents/later.txt")
        await self.run("MOVE_FILE ~/Documents/same.txt ~/Documents/same.txt")
        return moved, written

    async def fails(self) -> None:
        """Try what is refused, invalid, declined, or no longer as it was."""
        await self.run("MOVE_FILE ~/.ssh/key ~/Documents/key.txt", "MOVE_FILE nothing", "NO_SUCH_COMMAND 1")
        await self.run("DELETE_FILE ~/Documents/declined.txt", approver=Says(False))
        changes = Says(True, then=lambda: write(self.folder / "Documents/changes.txt", "by another"))
        await self.run("DELETE_FILE ~/Documents/changes.txt", approver=changes)

    async def gives_grants(self, moved: str, written: str) -> None:
        """Give three grants, use one of them, and take one back."""
        await self.grant(Wish(moved, ("source", "destination")))
        self.clock.advance(seconds=7)
        await self.grant(Wish(written, ("content",)))
        self.clock.advance(seconds=7)
        await self.run("MOVE_FILE ~/Documents/granted.txt ~/Downloads/granted.txt", waits=True)
        await self.home.grants.revoke(await self.grant(Wish(moved)))

    async def grant(self, wish: Wish) -> str:
        """Give a grant, and return its id."""
        offer = await self.home.grants.offer(wish)
        return (await self.home.grants.give(offer, Decision(True, "terminal", offer.digest), entry="cli")).id

    async def leaves_waiting(self) -> None:
        """Run an action of their own, and leave three things waiting."""
        actions = Actions(self.home)
        await actions.run("note_down", {"what": "ideas"}, Wanted(approver=Says(True)))
        await actions.run("note_down", {"what": "plans"}, Wanted())
        await self.run('TASK_DELETE "Call Bo"', waits=True)
        await self.run("MOVE_FILE ~/Documents/waits.txt ~/Documents/waited.txt", waits=True)

    async def talks(self) -> None:
        """Leave a conversation, a mood and a trigger that has fired."""
        at = "2026-11-24T13:10:00.000Z"
        runs = ("run_0000000000001",)
        trace: dict[str, Any] = {"context": "", "commands": []}
        words = ("Buy milk", 'TASK_ADD "Buy milk"')
        await self.home.sessions.keep(Exchange("ask_0000000000001", "commands", at, *words, runs=runs, trace=trace))
        await self.home.sessions.tell(UserNote("mood", "calm", at))
        await self.home.journal.triggers.move(TriggerState("wrap-up", seen=at, fired=at, said="Done"))


async def die(place: Path) -> None:
    """Say something aloud, and end in the middle of it."""
    death = KillAt("path.begun", how=lambda: os._exit(9))
    clock, ids = FakeClock(MADE + timedelta(days=2)), Ids(2_000_000)
    async with sayso.open_home(str(place / "sayso"), environ=around(place), clock=clock, ids=ids, kill=death) as opened:
        report = await opened.run('RUN_SHORTCUT "nothing"\nSPEAK hello', approver=Says(True))
    sys.stderr.write(f"it did not end in the middle: {report}")
    os._exit(1)


async def settle(place: Path) -> None:
    """Find out what became of that, and print all that was done."""
    clock, ids = FakeClock(MADE + timedelta(days=2)), Ids(3_000_000)
    async with sayso.open_home(str(place / "sayso"), environ=around(place), clock=clock, ids=ids) as opened:
        for record in await opened.log():
            sys.stdout.write(f"{record.operation} {record.state} {record.marks.error or record.marks.message}\n")


def around(place: Path) -> dict[str, str]:
    """Return the environment that the home is opened in."""
    return {"HOME": str(place / "home"), "PATH": "/usr/bin:/bin", "TZ": "UTC"}


def lay_out(home: Path, own: Path) -> None:
    """Make the person's own files."""
    for name in ("a", "b", "c", "expires", "same", "declined", "changes", "granted", "waits", "later"):
        write(home / "Documents" / f"{name}.txt", f"{name}\n")
    (home / "Downloads").mkdir()
    (home / "Desktop").mkdir()
    for part in ("cur", "new", "tmp"):
        (home / "Mail" / part).mkdir(parents=True)
    for number, subject in enumerate(("News", "Invoice", "Question"), 1):
        write(home / "Mail/cur" / f"179000000{number}.M1.example:2,", MAIL.format(subject=subject, id=number))
    write(home / "Calendars/personal/lunch.ics", EVENT)
    write(home / "Notes/Old.md", "Written long ago.\n")
    write(own / "config.toml", SETTINGS)
    write(own / "actions/note-down.py", ACTION)
    own.chmod(0o700)
    (own / "actions").chmod(0o700)


def write(path: Path, text: str) -> None:
    """Write a file with folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def pack(place: Path, out: Path) -> None:
    """Write a home down as data."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "journal.json").write_text(database_text(place / "sayso/sayso.db"), "utf-8")
    (out / "files.json").write_text(folder_text(place, without=LEFT_OUT), "utf-8")


@contextmanager
def alone() -> Generator[None]:
    """Have the place to oneself, with nothing there, and leave nothing there; others on this machine wait."""
    with PLACE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(PLACE, ignore_errors=True)
        try:
            yield
        finally:
            shutil.rmtree(PLACE, ignore_errors=True)


def main() -> None:
    """Make it, write it down, and take it away."""
    with alone():
        anyio.run(make, PLACE)
        if not (child := os.fork()):
            anyio.run(die, PLACE)
            os._exit(1)
        os.waitpid(child, 0)
        anyio.run(settle, PLACE)
        pack(PLACE, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
