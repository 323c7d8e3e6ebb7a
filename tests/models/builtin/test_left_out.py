"""What was named and has no place in what is done about a wish is found, and the person is asked."""

from typing import Any

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.left_out import left_out
from sayso.models.builtin.outcomes import RequestedAction
from tests.models.builtin.scenes import acts, question, utterance

WORD, GIMP = {"name": "Microsoft Word"}, {"name": "GIMP"}
PLAN = {"path": "/home/mo/Documents/plan.odt"}
LEFT_HALF = {"name": "Signal", "bounds": [0, 0, 960, 1080]}


@pytest.mark.parametrize(
    ("said", "operation", "arguments", "left"),
    [
        ("open plan.odt, and use GIMP for it", "file.open", PLAN, "GIMP"),
        ("Signal on the left half, GIMP on the right half of it", "app.place", LEFT_HALF, "GIMP"),
        ("start GIMP, I need pictures; Signal on the contrary you may quit", "app.open", GIMP, "Signal"),
        ("mails from Ana since Monday", "mail.search", {"criteria": {"from": "Ana"}}, "Monday"),
        ("signal window to main", "app.activate", {"name": "Signal"}, "main"),
        ("signal on the right monitor", "app.place", LEFT_HALF, "right monitor"),
        ("all the files of type pdf in downloads", "file.list", {"path": "~/Downloads"}, "pdf"),
        ("remind 2pm ring Wiremu", "reminder.create", {"title": "Wiremu", "due": "2026-03-05 14:00"}, "ring"),
        ("25 min timer, bread", "reminder.create", {"title": "Timer", "due": "2026-03-04 14:55"}, "bread"),
        ("new note Press log: first run", "note.create", {"title": "first run"}, "log"),
        ("dentist is in dressing room two", "calendar.update_event", {"id": "e-1", "location": "dressing room"}, "two"),
    ],
)
def test_what_no_argument_uses_is_left_out(said: str, operation: str, arguments: dict[str, Json], left: str):
    assert left_out([RequestedAction(operation, arguments)], utterance(said)) == left


@pytest.mark.parametrize(
    ("said", "operation", "arguments"),
    [
        ("Signal was slow today, so open GIMP", "app.open", GIMP),
        ("open word, word I say", "app.open", WORD),
        ("remind me to update Signal", "reminder.create", {"title": "update Signal", "due": "2026-03-05"}),
        ("signal on the left half of the main screen", "app.place", LEFT_HALF),
        ("find the pdfs in downloads", "file.find", {"path": "~/Downloads", "pattern": "*.pdf"}),
        ("remind me at 2pm to ring Wiremu", "reminder.create", {"title": "ring Wiremu", "due": "2026-03-05 14:00"}),
        ("25 min timer", "reminder.create", {"title": "Timer", "due": "2026-03-04 14:55"}),
        ("new note: first run", "note.create", {"title": "first run"}),
        ('a funny note "Ferns"', "note.create", {"title": "Ferns"}),
        ("mails from Ana since Monday", "mail.search", {"criteria": {"from": "Ana", "after": "2026-03-02"}}),
    ],
)
def test_what_is_used_or_only_told_is_not_left_out(said: str, operation: str, arguments: dict[str, Any]):
    assert left_out([RequestedAction(operation, arguments)], utterance(said)) == ""


def test_a_common_word_is_no_second_application():
    signal = RequestedAction("app.open", {"name": "Signal"})

    assert left_out([RequestedAction("app.open", GIMP), signal], utterance("open GIMP, the sign is new")) == "sign"


def test_the_person_is_told_which_word_has_no_place():
    assert "without “GIMP”" in question("open plan.odt, and GIMP too")


def test_a_file_that_was_moved_is_named_by_its_new_path_afterwards():
    assert acts("move plan.odt to downloads and open it") == [
        ("file.move", {"source": "/home/mo/Documents/plan.odt", "destination": "~/Downloads/plan.odt"}),
        ("file.open", {"path": "~/Downloads/plan.odt"}),
    ]
