"""Whatever a plan expects of the disk: when it changes between the question and the yes, nothing is done.

These are the stores that keep their things on this machine: files, a Maildir, folders of events and of notes, and the
lists of tasks and habits. The changes are made without sayso.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sayso.assembly.parts import PROVIDERS
from sayso.core.plan import Fact
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import Says
from tests.journeys.ground import Ground, a_ground, in_mode, tree
from tests.journeys.test_changed_between import a_mail, exchanged, rewritten

Changed = Callable[[Path, Fact], None]
"""Lets a fact stop being true, in this home."""

SETTINGS = """
[mail]
kind = "maildir"
path = "~/Mail"
[calendar]
path = "~/Calendars"
[notes]
path = "~/Notes"
"""
EVENT = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//x//x//EN\r
BEGIN:VEVENT\r
UID:{uid}\r
DTSTAMP:20261101T090000Z\r
DTSTART:20261120T090000Z\r
DTEND:20261120T100000Z\r
SUMMARY:{title}\r
END:VEVENT\r
END:VCALENDAR\r
"""
REMINDER = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//x//x//EN\r
BEGIN:VTODO\r
UID:two@x\r
DTSTAMP:20261101T090000Z\r
DUE:20261120T090000Z\r
SUMMARY:Two\r
END:VTODO\r
END:VCALENDAR\r
"""
LISTS = (
    ("task.add", {"text": "Milk"}),
    ("task.add", {"text": "Bread"}),
    ("task.add", {"text": "Eggs"}),
    ("task.complete", {"target": "Eggs"}),
    ("habit.add", {"text": "Run", "interval_hours": 24}),
)
LABELLED, PLAIN = "<labelled@x.test>", "<one@x.test>"
CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("file.move", {"source": "~/Documents/in/a.txt", "destination": "~/Documents/out/b.txt"}),
    ("file.move", {"source": "~/Documents/in", "destination": "~/Documents/out/in"}),
    ("file.move", {"source": "~/Documents/link", "destination": "~/Documents/out/link"}),
    ("file.copy", {"source": "~/Documents/in/a.txt", "destination": "~/Documents/out/b.txt"}),
    ("file.copy", {"source": "~/Documents/in", "destination": "~/Documents/out/in"}),
    ("file.delete", {"path": "~/Documents/in/a.txt"}),
    ("file.delete", {"path": "~/Documents/in"}),
    ("file.mkdir", {"path": "~/Documents/out/new/deep"}),
    ("file.write", {"path": "~/Documents/out/new.txt", "content": "new"}),
    ("file.write", {"path": "~/Documents/in/a.txt", "content": "new"}),
    ("file.append", {"path": "~/Documents/in/a.txt", "content": "more"}),
    ("file.open", {"path": "~/Documents/in/a.txt"}),
    ("file.open", {"path": "~/Documents/out"}),
    ("file.open", {"path": "~/Documents/link"}),
    ("mail.archive", {"ids": [PLAIN]}),
    ("mail.trash", {"ids": [PLAIN]}),
    ("mail.star", {"ids": [PLAIN]}),
    ("mail.unstar", {"ids": [LABELLED]}),
    ("mail.mark_read", {"ids": [LABELLED]}),
    ("mail.mark_unread", {"ids": [PLAIN]}),
    ("mail.add_label", {"ids": [PLAIN], "label": "work"}),
    ("mail.remove_label", {"ids": [LABELLED], "label": "work"}),
    ("mail.save_attachment", {"message_id": PLAIN, "number": 1, "path": "~/Documents/out/"}),
    ("calendar.create_event", {"title": "New", "start": "2026-11-21 10:00", "end": "2026-11-21 11:00"}),
    ("reminder.create", {"title": "New", "due": "2026-11-21 10:00"}),
    ("reminder.complete", {"reminder": "Two"}),
    ("reminder.delete", {"reminder": "Two"}),
    ("calendar.update_event", {"id": "one@x", "title": "New"}),
    ("calendar.delete_event", {"id": "one@x"}),
    ("note.append", {"target": "List", "text": "more"}),
    ("note.create", {"title": "New", "body": "new", "folder": "Home"}),
    ("task.edit", {"target": "Milk", "new_text": "Oat milk"}),
    ("task.delete", {"target": "Milk"}),
    ("task.complete", {"target": "Milk"}),
    ("task.reopen", {"target": "Eggs"}),
    ("task.add_subtask", {"parent": "Milk", "text": "Oat"}),
    ("task.move", {"target": "Bread", "where": "top"}),
    ("habit.edit", {"target": "Run", "new_text": "Walk"}),
    ("habit.delete", {"target": "Run"}),
    ("habit.log", {"target": "Run"}),
)
"""Operations with arguments; for files, on each kind of thing."""
OFTEN = {"file.open", "mail.star", "mail.save_attachment", "calendar.update_event", "note.append", "task.complete"}
"""Operations that are tried in every run of the tests; the others are tried in the thorough one."""
OF_THE_DISK = {"files", "mail", "calendar", "notes", "tasks"}
NOTHING_EXPECTED = {"task.add", "task.add_all", "habit.add", "mail.compose", "mail.send"}
UNASKED = {"file.reveal"}
"""It is done as soon as it is planned; `test_world_moves_on.py` has its case."""


def _at(fact: Fact) -> Path:
    return Path(fact.about)


def _another(path: Path) -> None:
    """Put another thing of the same kind and look in the place of one."""
    if path.is_symlink():
        target = path.readlink()
        path.unlink()
        path.with_name("other").symlink_to(target)
        path.with_name("other").rename(path)
        path.with_name("held").symlink_to(target)
    elif path.is_dir():
        path.rename(path.with_name("former"))
        shutil.copytree(path.with_name("former"), path, symlinks=True)
    else:
        exchanged(path)


def _content(path: Path) -> None:
    """Change what is in a file or in a folder, or where a link leads, but not how large it is."""
    if path.is_symlink():
        path.unlink()
        path.symlink_to("out")
    elif path.is_dir():
        (path / "a.txt").write_text("else\n")
    else:
        rewritten(path)


def _gone(path: Path) -> None:
    path.rename(path.parents[1] / "moved away")


def _instead(make: Callable[[Path], object]) -> Changed:
    def change(home: Path, fact: Fact) -> None:
        _gone(_at(fact))
        make(_at(fact))

    return change


def _mode(home: Path, fact: Fact) -> None:
    if _at(fact).is_symlink():
        _another(_at(fact))  # a link has no mode of its own
        return
    _at(fact).chmod(0o711 if _at(fact).is_dir() else 0o600)


def _mail_file(home: Path, fact: Any) -> Path:
    mark = getattr(fact, "message_id", fact.about)
    return next(file for file in (home / "Mail" / "cur").iterdir() if mark.encode() in file.read_bytes())


def _flags(home: Path, fact: Any, letter: str) -> None:
    file = _mail_file(home, fact)
    name, _, flags = file.name.partition(":2,")
    file.rename(file.with_name(f"{name}:2,{''.join(sorted(set(flags) ^ {letter}))}"))


def _sql(statement: str) -> Changed:
    def change(home: Path, fact: Fact) -> None:
        with closing(sqlite3.connect(home.parent / "sayso" / "tasks.db")) as lists, lists:
            lists.execute(statement, {"id": fact.about})

    return change


def _entry_file(home: Path, fact: Fact) -> Path:
    return home / "Calendars" / "home" / f"{fact.about.partition('@')[0]}.ics"


def _event(home: Path, fact: Fact) -> None:
    _entry_file(home, fact).write_text(EVENT.format(uid=fact.about, title="Other"), newline="")


def _event_taken(home: Path, fact: Fact) -> None:
    (home / "Calendars" / "home" / f"{fact.about}.ics").write_text(EVENT.format(uid=fact.about, title="Taken"))


def _note(home: Path, fact: Fact) -> None:
    (home / "Notes" / "List.md").write_text("other\n")


THING: Mapping[str, Changed] = {
    "another": lambda home, fact: _another(_at(fact)),
    "mode": _mode,
    "owner": lambda home, fact: os.chown(_at(fact), 4711, 4711, follow_symlinks=False),
    "gone": lambda home, fact: _gone(_at(fact)),
    "a link instead": _instead(lambda path: path.symlink_to(path.parents[1] / "moved away")),
}
CHANGES: Mapping[str, Mapping[str, Changed]] = {
    "unchanged": {
        **THING,
        "content": lambda home, fact: _content(_at(fact)),
        "a folder instead": _instead(Path.mkdir),
        "a file instead": _instead(Path.touch),
    },
    "same_folder": {**THING, "a file instead": _instead(Path.touch)},
    "free": {
        "a file": lambda home, fact: _at(fact).touch(),
        "a folder": lambda home, fact: _at(fact).mkdir(),
        "a link": lambda home, fact: _at(fact).symlink_to("nowhere"),
    },
    "mail_at": {
        "moved": lambda home, fact: _gone(_mail_file(home, fact)),
        "gone": lambda home, fact: _mail_file(home, fact).unlink(),
    },
    "mail_flag": {"toggled": lambda home, fact: _flags(home, fact, {"starred": "F", "read": "S"}[_flag_of(fact)])},
    "mail_label": {"toggled": lambda home, fact: _flags(home, fact, "a")},
    "mail_save_folder": THING,
    "calendar_entry": {
        "written": _event,
        "gone": lambda home, fact: _entry_file(home, fact).unlink(),
    },
    "calendar_free": {"taken": _event_taken},
    "note": {"written": _note, "gone": lambda home, fact: (home / "Notes" / "List.md").unlink()},
    "note_folder": {"gone": lambda home, fact: (home / "Notes" / "Home").rmdir()},
    "task_active": {
        "completed": _sql("UPDATE tasks SET completed_at = '2026-11-03T09:00:00Z' WHERE id = :id"),
        "gone": _sql("DELETE FROM tasks WHERE id = :id"),
    },
    "task_completed": {
        "reopened": _sql("UPDATE tasks SET completed_at = NULL WHERE id = :id"),
        "completed later": _sql("UPDATE tasks SET completed_at = '2026-11-03T09:00:00Z' WHERE id = :id"),
        "gone": _sql("DELETE FROM tasks WHERE id = :id"),
    },
    "habit_there": {"gone": _sql("DELETE FROM habits WHERE id = :id")},
}
"""By kind of fact, the ways in which it stops being true."""
SELECTS = ("SELECT * FROM tasks", "SELECT * FROM habits", "SELECT * FROM habit_times")


def _flag_of(fact: Any) -> str:
    return fact.flag


async def a_home(base: Path) -> Ground:
    """Lay out a home in which every action is asked about, with one thing of each kind."""
    ground = a_ground(base, in_mode("always", SETTINGS))
    ground.file("in/a.txt", "mine\n")
    (ground.documents / "out").mkdir()
    (ground.documents / "link").symlink_to("in")
    plain = a_mail(ground.home / "Mail", b"mine")
    other = plain.read_bytes().replace(PLAIN.encode(), LABELLED.encode())
    plain.with_name("1762074001.two:2,Fa").write_bytes(other)
    (ground.home / "Mail" / "dovecot-keywords").write_text("0 work\n")
    (ground.home / "Calendars" / "home").mkdir(parents=True)
    (ground.home / "Calendars" / "home" / "one.ics").write_text(EVENT.format(uid="one@x", title="One"), newline="")
    (ground.home / "Calendars" / "home" / "two.ics").write_text(REMINDER, newline="")
    (ground.home / "Notes" / "Home").mkdir(parents=True)
    (ground.home / "Notes" / "List.md").write_text("mine\n")
    async with ground.opened() as home:
        proposals = [Proposal(at, "", operation, arguments) for at, (operation, arguments) in enumerate(LISTS)]
        report = await home.take(proposals, Origin("tools"), Says(True))
    assert {outcome.record.state for outcome in report.outcomes} == {State.DONE}
    return ground


def another_home(ground: Ground, base: Path) -> Ground:
    """Return a home like one."""
    shutil.copytree(ground.base, base, symlinks=True)
    return Ground(base)


def everything(ground: Ground) -> object:
    """Return all that the person has: the files of the home, and the lists."""
    with closing(sqlite3.connect(ground.own / "tasks.db")) as lists:
        rows = [lists.execute(select).fetchall() for select in SELECTS]
    return tree(ground.home), rows


async def proposed(ground: Ground, call: int, kind: str, change: Changed | None) -> tuple[set[str], State, str, bool]:
    """Propose a call and say yes after the change.

    Returns the kinds of facts that it expects, its end, the sentence, and whether nothing but the change was done.
    """
    operation, arguments = CALLS[call]
    kinds: set[str] = set()
    left: list[object] = []

    def meanwhile() -> None:
        plan = person.questions[-1].cards[0].plan
        facts = {fact.fact: fact for one in plan.changes for fact in one.expects}
        kinds.update(facts)
        if change is not None:
            change(ground.home, facts[kind])
        left.append(everything(ground))

    person = Says(change is not None, then=meanwhile)
    async with ground.opened() as home:
        report = await home.take([Proposal(0, "", operation, arguments)], Origin("tools"), person)
    (outcome,) = report.outcomes
    marks = outcome.record.marks
    assert left, f"{operation} was not asked about: {marks.error or marks.message}"
    return kinds, marks.state, marks.error or "", everything(ground) == left[-1]


def test_every_operation_on_the_disk_that_expects_something_is_here():
    changing = {
        id_ for id_, one in catalogue(PROVIDERS).items() if OF_THE_DISK & set(one.stores) and one.kind != "read"
    }

    assert {operation for operation, _ in CALLS} == changing - NOTHING_EXPECTED - UNASKED


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(at, id=f"{operation} {at}", marks=() if operation in OFTEN else pytest.mark.thorough)
        for at, (operation, _) in enumerate(CALLS)
    ],
)
async def test_when_what_an_action_expects_of_the_disk_has_changed_the_yes_does_nothing_and_says_why(
    call: int, tmp_path: Path
):
    pristine = await a_home(tmp_path / "pristine")
    kinds, *_ = await proposed(another_home(pristine, tmp_path / "first"), call, "", None)

    assert kinds, "it expects something"
    assert kinds <= CHANGES.keys()
    for kind in sorted(kinds):
        for name, change in CHANGES[kind].items():
            if name == "owner" and os.geteuid() != 0:
                continue  # only root can give a thing away, and these tests run as root before anything is released
            ground = another_home(pristine, tmp_path / f"{kind} {name}")

            _, state, said, alike = await proposed(ground, call, kind, change)

            assert state in {State.REFUSED, State.FAILED}, f"{kind}, {name}: {state}"
            assert said, f"{kind}, {name}: it is not said why"
            assert alike, f"{kind}, {name}: something was done"
