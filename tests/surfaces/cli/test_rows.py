"""What was looked up is a list for people: aligned, in local words of time, inert, and as wide as there is room."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sayso.surfaces.cli.rows import describe_time, rows_of
from sayso.surfaces.cli.text import columns

NOW = datetime(2026, 3, 14, 13, tzinfo=UTC)


def rows(operation: str, key: str, *found: dict[str, Any], width: int = 100) -> list[str]:
    return rows_of(operation, {key: [*found]}, width, NOW) or []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-03-14T14:05+00:00", "today 14:05"),
        ("2026-03-13T14:05+00:00", "yesterday 14:05"),
        ("2026-03-15", "tomorrow"),
        ("2026-03-20T09:00+00:00", "Fri 20 Mar 09:00"),
        ("2026-03-21T09:00+00:00", "2026-03-21 09:00"),
        ("2026-03-15T00:30+14:00", "today 00:30"),
        ("soon", "soon"),
    ],
)
def test_a_time_is_said_as_people_say_it(text: str, said: str):
    assert describe_time(text, NOW) == said


def test_events_stand_below_one_another():
    found = rows(
        "calendar.list",
        "events",
        {"title": "Stand-up", "start": "2026-03-14T09:00+00:00", "end": "2026-03-14T09:15+00:00", "location": "Room 1"},
        {"title": "休 🎉", "start": "2026-03-15", "end": "2026-03-16", "all_day": True},
        {"title": "Trip", "start": "2026-03-20", "end": "2026-03-23", "all_day": True},
        {"title": "Night", "start": "2026-03-16T23:00+00:00", "end": "2026-03-17T01:00+00:00", "own_time": "18:00 X"},
    )

    assert found == [
        "today 09:00 to 09:15                            Stand-up  Room 1",
        "tomorrow, all day                               休 🎉",
        "Fri 20 Mar to 2026-03-22                        Trip",
        "Mon 16 Mar 23:00 to Tue 17 Mar 01:00 (18:00 X)  Night",
    ]


def test_reminders_say_when_they_are_due_and_how_they_repeat():
    found = rows(
        "reminder.list",
        "reminders",
        {"title": "Call", "due": "2026-03-13T09:00+00:00", "overdue": True},
        {"title": "Pill", "due": "2026-03-15T09:00+00:00", "repeats": "every day"},
        {"title": "Whenever", "due": ""},
        {"title": "Over", "due": "2026-03-13", "completed": "2026-03-14T12:00+00:00"},
    )

    assert found == [
        "yesterday 09:00 (overdue)  Call",
        "tomorrow 09:00             Pill      every day",
        "whenever                   Whenever",
        "done today 12:00           Over",
    ]


def test_a_sender_is_shortened_before_the_subject_loses_its_room():
    message = {"received_at": "?", "from_address": "Ana Berg <ana.berg@x.example>", "subject": "Dinner on Friday"}

    assert rows("mail.inbox", "messages", message, width=36) == ["?  Ana Berg <ana.…  Dinner on Friday"]
    assert rows("mail.inbox", "messages", message, width=33) == ["?  Ana Berg <a…  Dinner on Friday"]
    assert rows("mail.inbox", "messages", message, width=24) == ["?  Dinner on Friday"]


def test_messages_tabs_and_files_are_lists_too():
    message = {"received_at": "2026-03-14T12:00:00Z", "from_address": "ana@x.example", "subject": "Hi", "unread": True}
    tabs = rows("tab.list", "tabs", {"index": 1, "title": "A", "domain": "a.example", "is_active": True})
    files = rows("file.list", "files", {"name": "b", "kind": "folder", "modified": "?"}, {"name": "c", "size": 2100})

    (shown,) = rows("mail.inbox", "messages", message)
    assert shown.split()[-3:] == ["new", "ana@x.example", "Hi"]
    assert tabs == ["1*  A  a.example"]
    assert files == ["?          b/", "   2.1 kB  c"] or files[1].endswith("2.1 kB  c")


@pytest.mark.parametrize("width", [20, 30, 44, 60, 200])
def test_rows_are_as_wide_as_there_is_room_and_keep_what_matters(width: int):
    long = {
        "title": "T" * 90,
        "start": "2026-03-16T23:00+00:00",
        "end": "2026-03-17T01:00+00:00",
        "location": "L" * 60,
        "id": "i" * 60,
    }

    (shown,) = rows("calendar.find", "events", long, width=width)

    assert columns(shown) <= width
    assert "TTTTTTTTTTTTTTT" in shown


def test_what_strangers_wrote_is_inert():
    (shown,) = rows("tab.list", "tabs", {"index": 1, "title": "a\x1b[31m\u202eb\nc", "domain": ""})

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\n" not in shown


def test_a_name_is_escaped_once():
    (shown,) = rows("file.list", "files", {"name": "zz\x1b[31m", "size": 1})

    assert shown.endswith(" zz\\u{1b}[31m")


def test_none_are_said_to_be_none_and_what_was_not_read_is_named():
    unread = rows_of("calendar.list", {"events": [], "left_out": ["“a.ics” was left out"]}, 80, NOW)

    assert rows_of("calendar.list", {"events": []}, 80, NOW) == ["(no events)"]
    assert unread == ["not read: “a.ics” was left out"]
    assert rows_of("page.text", {"text": "x"}, 80, NOW) is None
    assert rows_of("tab.list", {}, 80, NOW) is None
