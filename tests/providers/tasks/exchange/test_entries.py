"""Tasks become lines with a depth, and lines become what is to be added."""

from sayso.providers.tasks.exchange.entries import Entry, arguments_of, entries_of
from sayso.providers.tasks.store import Task

TASKS = [Task("a", "A"), Task("b", "B", "a", 1, "2026-03-01T10:00:00Z"), Task("c", "C", "b"), Task("d", "D")]


def test_depth_is_how_many_stand_above():
    assert [(entry.text, entry.level, entry.completed) for entry in entries_of(TASKS)] == [
        ("A", 0, False),
        ("B", 1, True),
        ("C", 2, False),
        ("D", 0, False),
    ]


def test_what_was_completed_at_an_unknown_time_is_so_now():
    entries = [Entry("A"), Entry("B", 1, completed=True), Entry("C", 0, completed=True, completed_at="then")]

    assert arguments_of(entries, "now") == {
        "texts": ["A", "B", "C"],
        "levels": [0, 1, 0],
        "completed": ["", "now", "then"],
    }
