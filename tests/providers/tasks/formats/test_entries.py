"""Tasks become lines with a depth, and lines become what is to be added."""

import pytest

from sayso.providers.tasks.formats.entries import Entry, arguments_of, entries_of, too_much
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


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([Entry("x")] * 5_000, None),
        ([Entry("x" * 2_000, 100)], None),
        ([Entry("x")] * 5_001, "there are 5,001 tasks, and at most 5,000 are added at once; split the file"),
        (
            [Entry("a"), Entry("x" * 2_001)],
            f"task 2, “{'x' * 40}…”, has 2,001 characters, and a task has at most 2,000; shorten it",
        ),
        ([Entry("deep", 101)], "task 1, “deep”, stands below 101 others, and at most 100 are taken; move it up"),
    ],
)
def test_the_task_that_keeps_a_list_from_being_added_is_named(entries: list[Entry], said: str | None):
    assert too_much(entries) == said
