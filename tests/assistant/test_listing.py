"""Without a model a question is answered with a plain list of what it names."""

import pytest

from sayso.assistant.listing import NOTHING, listing
from sayso.core.context import Context, Piece

TABS = Piece("tabs", "The tabs.", [{"index": 1, "title": "One", "content_summary": "", "is_active": True}])
TASKS = Piece(
    "tasks", "The tasks.", [{"text": "Buy wine", "level": 0, "completed": True}, {"text": "Rent", "level": 1}]
)
HABITS = Piece("habits", "The habits.", [{"text": "Stretch", "repeatIntervalHours": 24.0, "last_done_at": None}])
RUNNING = Piece("running_apps", "What runs.", ["Notes"])
EVENTS = Piece("events", "The events of today.", [])
RAW = Piece("tabs_raw", "Raw.", "text")
HISTORY = Piece("history", "What was done.", [{"time": "12:00", "said": "Add the task"}])
ALL = Context((TABS, TASKS, HABITS, RUNNING, EVENTS, RAW, HISTORY))


@pytest.mark.req("T-100")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What are my tasks?", "Tasks:\n- Buy wine (completed)\n- Rent (level: 1)"),
        ("any open to-dos", "Tasks:\n- Buy wine (completed)\n- Rent (level: 1)"),
        ("which habits do I have?", "Habits:\n- Stretch (repeat interval hours: 24)"),
        ("Which tabs?", "Tabs:\n- One (index: 1, is active)"),
        ("what programs are running?", "Running apps:\n- Notes"),
        (
            "what is in my calendar and on my list of tasks?",
            "Tasks:\n- Buy wine (completed)\n- Rent (level: 1)\n\nEvents: none",
        ),
    ],
)
def test_what_a_question_names_is_listed_and_nothing_else(question: str, answer: str):
    assert listing(ALL, question) == answer


@pytest.mark.req("T-100")
def test_a_question_that_names_nothing_of_it_is_answered_with_all_that_is_known():
    told = listing(ALL, "what is going on?")

    assert [part.partition(":")[0] for part in told.split("\n\n")] == [
        "Tabs",
        "Tasks",
        "Habits",
        "Running apps",
        "History",
    ]
    assert "Raw" not in told


def test_an_entry_without_a_title_is_told_by_its_members():
    rows = Piece("monitors", "The monitors.", [{"width": 800, "bounds": [0, 0]}, 3])

    assert listing(Context((rows,)), "monitors?") == "Monitors:\n- width: 800, bounds: [0, 0]\n- 3"


@pytest.mark.req("T-100")
def test_where_nothing_is_known_that_is_said():
    assert listing(Context(()), "what?") == NOTHING
