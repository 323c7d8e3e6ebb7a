"""A home that an older sayso wrote is opened by today's: its log holds, and what waits or was given goes on.

The home of `tests/cases/home-2026-11` was written by sayso 0.1 as of November 2026 (`tests/golden/make_home.py`). It is
laid out again at the same place for each test, since digests and the chain of hashes hold absolute paths.
"""

import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.actions import Actions
from sayso.core.ports import Prunes, RecordQuery
from sayso.testing.fakes import FakeClock, Says
from tests.golden.make_home import MADE, PLACE, alone, around
from tests.golden.oracle import action_digest
from tests.golden.stored import make_database, make_folder
from tests.journeys.ground import Row, only, rows, said, states

CASE = Path(__file__).parent.parent / "cases" / "home-2026-11"
OPENED = MADE + timedelta(days=2, minutes=5)
"""The time at which it is opened again: what waits has not expired then."""
LOG = [
    ("file.move", "expired"), ("task.add", "done"), ("task.add", "done"), ("task.add_subtask", "done"),
    ("task.complete", "done"), ("habit.add", "done"), ("habit.log", "done"), ("note.create", "done"),
    ("note.append", "done"), ("calendar.create_event", "done"), ("mail.archive", "done"), ("mail.star", "done"),
    ("file.move", "done"), ("file.write", "done"), ("file.write", "undone"), ("file.list", "done"), ("undo", "done"),
    ("file.delete", "done"), ("file.move", "unchanged"), ("file.move", "refused"), ("file.move", "invalid"),
    ("", "invalid"), ("file.delete", "declined"), ("file.delete", "failed"), ("file.move", "done"),
    ("task.add", "done"), ("task.add", "waiting"), ("task.delete", "waiting"), ("file.move", "waiting"),
    ("shortcut.run", "done"), ("speech.say", "unknown"),
]  # fmt: skip
"""Operation and state of everything in its journal, oldest first."""

TASKS = ["Buy milk", "Call Bo", "Find the number", "Note down ideas"]


@pytest.fixture
def place() -> Iterator[Path]:
    """Return where the older home lies, laid out anew; no other test on this machine uses it meanwhile."""
    with alone():
        PLACE.mkdir(mode=0o700)
        make_folder((CASE / "files.json").read_text("utf-8"), PLACE)
        make_database((CASE / "journal.json").read_text("utf-8"), PLACE / "sayso" / "sayso.db")
        yield PLACE


@pytest.fixture
async def home(place: Path) -> AsyncIterator[Home]:
    """Open it."""
    async with sayso.open_home(str(place / "sayso"), environ=around(place), clock=FakeClock(OPENED)) as opened:
        yield opened


def the(found: list[Row], operation: str, state: str, words: str = "") -> Row:
    """Return the one row of this operation and state whose body holds these words."""
    (row,) = [
        row for row in found if (row.operation, row.state) == (operation, state) and words in json.dumps(row.body)
    ]
    return row


async def test_its_log_is_sound_and_lists_what_it_listed(home: Home):
    log = await home.log(RecordQuery(limit=100))
    checked = await home.journal.verify()

    assert [(record.operation or "", record.state.value) for record in reversed(log)] == LOG
    assert (checked.problem, checked.actions) == (None, len(LOG))


def test_every_digest_in_it_is_what_plain_sha256_says(place: Path):
    with closing(sqlite3.connect(place / "sayso" / "sayso.db")) as journal:
        found = journal.execute("SELECT operation, digest, origin, body FROM history WHERE digest NOT NULL").fetchall()

    assert len(found) > 20
    for operation, digest, origin, text in found:
        assert action_digest(operation, json.loads(origin), json.loads(text)) == digest, text


@pytest.mark.parametrize("operation", ["task.delete", "task.add"])
async def test_what_waits_in_it_is_done_on_a_yes(home: Home, operation: str):
    waiting = the(rows(PLACE / "sayso" / "sayso.db"), operation, "waiting")
    approver = Says(True)

    report = await home.approve(waiting.id, approver)

    assert states(report) == ["done"]
    (question,) = approver.questions
    (record,) = await home.log_of(waiting.id)
    assert [card.digest for card in question.cards] == [record.digest]


async def test_a_file_that_is_not_the_very_one_it_saw_is_left_alone(home: Home):
    waiting = the(rows(PLACE / "sayso" / "sayso.db"), "file.move", "waiting")

    report = await home.approve(waiting.id, Says(True))

    assert states(report) in (["failed"], ["refused"])
    assert (PLACE / "home/Documents/waits.txt").read_text() == "waits\n"


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("task.complete", "Buy milk"),
        ("habit.log", "Meditation"),
        ("note.append", "Plans"),
        ("calendar.create_event", "Dentist"),
        ("mail.archive", "1@example.org"),
        ("mail.star", "2@example.org"),
    ],
)
async def test_what_was_done_in_it_can_be_taken_back(home: Home, operation: str, words: str):
    done = the(rows(PLACE / "sayso" / "sayso.db"), operation, "done", words)

    report = await home.undo(done.id)

    assert (states(report), said(report)[0][:9]) == (["done"], "Took back")


async def test_its_grants_go_on_holding(home: Home):
    (PLACE / "home/Documents/new.txt").write_text("new\n")

    moved = only(await home.run("MOVE_FILE ~/Documents/new.txt ~/Downloads/new.txt"))
    written = only(await home.run("WRITE_FILE ~/Documents/b.txt again"))

    assert [moved.record.state, written.record.state] == ["done", "done"]
    given = {grant.id: grant for grant in await home.grants.all(ended=True)}
    used = [given[str(one.record.marks.approved_by).removeprefix("grant:")] for one in (moved, written)]
    assert [grant.definition[:7] for grant in used] == ["sha256:", "sha256:"]
    assert [home.grants.ended(grant) for grant in given.values() if grant not in used] == ["revoked"]


async def test_its_settings_lists_and_stores_are_read(home: Home):
    policy, lines = home.settings.policy, ("MAIL_INBOX", "NOTE_FIND walk", "CALENDAR_FIND")

    report = await home.run("\n".join(lines))

    assert states(report) == ["done"] * len(lines)
    found = json.dumps([outcome.data for outcome in report.outcomes])
    for words in ("Invoice", "and walk", "Lunch with Bo", "Dentist"):
        assert words in found
    tasks = home.tools.backend("tasks").reads
    assert [task.text for task in await tasks.all_tasks()] == TASKS
    assert [habit.text for habit in await tasks.all_habits()] == ["Meditation"]
    assert (policy.mode, policy.waiting_expires, policy.audit_redact) == ("destructive", 86400, ("*.password",))
    assert [template.id for template in Actions(home).library.templates] == ["note_down"]
    assert [run.entry.params for run in Actions(home).read_log("note_down")] == [{"what": "plans"}, {"what": "ideas"}]


async def test_its_conversations_and_triggers_are_known(home: Home):
    (session,) = await home.sessions.all()
    (exchange,) = await home.sessions.exchanges(session.id)
    (told,) = await home.sessions.told()
    state = await home.journal.triggers.of("wrap-up")

    assert (session.name, exchange.words, exchange.runs) == ("Buy milk", "Buy milk", ("run_0000000000001",))
    assert (told.name, told.value) == ("mood", "calm")
    assert (state.turn, state.said) == (1, "Done")


async def test_what_it_kept_for_undo_is_known_by_its_notes(home: Home):
    places = sorted((PLACE / "sayso/trash").iterdir())
    notes = [json.loads((place / "note").read_bytes()) for place in places]

    files = home.tools.backends["files"]
    assert isinstance(files, Prunes)
    files.prune()

    assert [note["path"].rpartition("/")[2] for note in notes] == ["b.txt", "c.txt"]
    assert sorted((PLACE / "sayso/trash").iterdir()) == places
