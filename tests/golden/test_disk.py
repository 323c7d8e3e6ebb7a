"""What stands on disk beside the journal, and what marks our own processes and events, is called as ever."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from sayso.providers.accounts.keyring import variable
from sayso.providers.calendar.ical.serialize import MARK as EVENT_MARK
from sayso.providers.desktop.linux.sound import MARK as VOICE_MARK
from sayso.providers.files.local.undo_store import ITEM, NOTE, StashNote
from sayso.providers.files.model import SameFolder, Unchanged
from sayso.providers.mail.smtp import Outbox
from sayso.providers.programs.run import STARTED
from tests.golden import files

PINNED = files.read("disk")
A_FILE = Unchanged("/home/ana/b.txt", "file", 1, 2, 3, 4, "0a", 5, "0b")
NOTES = [
    StashNote("file.keep", "/home/ana/b.txt", "2026-03-14T12:00:00.000Z"),
    StashNote(
        "file.replace", "/home/ana/b.txt", "2026-03-14T12:00:00.000Z", A_FILE, A_FILE,
        (SameFolder("/home/ana", 1, 2),), pruned=True, owner="0c", grown=True,
    ),
]  # fmt: skip


def test_a_note_of_what_is_kept_for_undo_is_written_and_read_as_ever():
    assert [msgspec.json.encode(note).decode() for note in NOTES] == PINNED["notes"]
    assert [msgspec.json.decode(text, type=StashNote) for text in PINNED["notes"]] == NOTES


def test_a_mail_that_is_being_sent_is_known_by_the_same_file(tmp_path: Path):
    outbox = Outbox(tmp_path / "outbox")

    outbox.mark_going("<1@example.org>", datetime(2026, 3, 14, tzinfo=UTC))
    going = [file.name for file in outbox.folder.iterdir()]
    outbox.mark_sent("<1@example.org>")

    assert [*going, *(file.name for file in outbox.folder.iterdir())] == PINNED["outbox"]


def test_marks_and_names_are_the_same():
    now = {
        "kept": [ITEM, NOTE],
        "started": STARTED,
        "speaks": VOICE_MARK,
        "event": EVENT_MARK,
        "password": variable("mail"),
    }

    assert now == PINNED["names"]
