"""What is counted for the numbers of the page: actions, what was taken back, questions saved, and waiting time."""

from datetime import date, timedelta
from typing import Any

from sayso.core.record import Progress, Record, State
from sayso.surfaces.web.numbers import count
from sayso.testing.journal import a_record

NOON, DAY = "2026-03-14T12:00:00.000Z", date(2026, 3, 14)
DAYS = [DAY - timedelta(days=1), DAY]


def done(key: int, by: str | None, answered: str | None = None, state: State = State.DONE, **more: Any) -> Record:
    """Return an action that was done at noon, by whose yes, and at what time of the day that was given."""
    marks = Progress(state, approved_by=by, decided_at=answered and f"2026-03-14T{answered}.000Z")
    return a_record(key, marks=marks, **more)


def test_each_number_counts_what_its_title_says_and_nothing_else():
    rows = [
        done(1, None),
        done(2, "click", "12:00:10"),
        done(3, "terminal", "12:00:30"),
        done(4, "notification", "12:10:00", State.DECLINED),
        done(5, "grant:g_1"),
        done(6, "rule"),
        done(7, "click", "12:00:05", State.UNDONE),
        done(8, "flag", "12:00:00", State.FAILED),
        done(9, "click", "15:00:00", entry="page"),  # what the person clicks themselves in their lists is no question
        done(10, "click", "12:00:20", dry_run=True),
        done(11, "click", "12:00:20", undo_of="do_7"),
    ]

    says = {one.title: (one.says, one.rows[-1][1]) for one in count(rows, DAYS).charts}

    assert says == {
        "Actions per day": ("7 done", "7"),
        "Taken back per day": ("1 of 7 (14 %)", "1"),
        "Questions saved by permissions per day": ("2 done without one", "2"),
        "Time until you answered": ("half of 4 answers came within 20 seconds", "20 seconds"),
    }


def test_where_nothing_was_asked_or_done_the_numbers_say_so():
    says = [one.says for one in count([], DAYS).charts]

    assert says == ["0 done", "0 of 0 (none)", "0 done without one", "nothing was asked"]


def test_the_middle_of_the_waiting_times_of_a_day_is_drawn():
    rows = [done(key, "click", f"12:0{key}:00", time=NOON) for key in (1, 2, 9)]

    (chart,) = [one for one in count(rows, DAYS).charts if one.title == "Time until you answered"]

    assert [one[1] for one in chart.rows] == ["none", "2 minutes"]
    assert "2 minutes" in chart.svg
