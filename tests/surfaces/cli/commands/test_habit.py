"""`sayso habit` keeps the person's habits, when each is due, and every time it was done."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


@pytest.mark.req("S2-06", "S2-07", "S2-08", "S2-09", "T-71")
def test_a_habit_is_added_done_changed_and_deleted(person: Path, sit: Sit):
    sayso("habit", "add", "Meditation", "--every", "4")
    sayso("habit", "done", "medit")
    sayso("habit", "edit", "meditation", "--every", "6")

    history = sayso("habit", "history", "medit", "--json").document

    habit, (time,) = history["habit"], history["times"]
    assert set(habit) == {"id", "text", "interval_hours", "last_done_at", "created_at", "due_at", "due"}
    assert (habit["text"], habit["interval_hours"], habit["due"]) == ("Meditation", 6.0, False)
    assert time["at"] == habit["last_done_at"]
    due, last = (datetime.fromisoformat(habit[name]) for name in ("due_at", "last_done_at"))
    assert due - last == timedelta(hours=6)
    assert "Meditation: every 6 hours, due " in sayso("habit").out
    assert sit("habit", "delete", "meditation").end() == 0
    assert sayso("habit").out == "There is no habit yet.\n"
    sayso("undo", "--yes")
    assert sayso("habit", "history", "medit", "--json").document == history


@pytest.mark.req("T-70")
@pytest.mark.parametrize("hours", ["0", "-1", "8761", "1e308"])
def test_hours_that_are_none_are_refused(person: Path, hours: str):
    run = sayso("habit", "add", "Walk", f"--every={hours}")

    assert run.code == 1
    assert "must be a number above 0 and at most 8760" in " ".join(run.out.split())
    assert sayso("habit", "--json").document == {"habits": []}


@pytest.mark.parametrize("words", [("add",), ("frob",), ("edit", "x"), ("add", "x", "--every", "soon")], ids=" ".join)
def test_what_cannot_be_understood_is_told_in_one_sentence(person: Path, words: tuple[str, ...]):
    run = sayso("habit", *words)

    assert run.code == 2
    assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize("hours", ["nan", "1e400", "-inf", "soon"])
@pytest.mark.parametrize("deed", ["add", "edit"])
def test_hours_that_are_no_number_are_told_in_json_too(person: Path, deed: str, hours: str):
    run = sayso("habit", deed, "Walk", f"--every={hours}", "--json")

    assert run.code == 2
    assert f"--every: “{hours}” is not a number such as 24 or 0.5" in run.document["error"]
    assert "NaN" not in run.out
    assert "Infinity" not in run.out
    assert sayso("log", "--json").document["rows"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("done Walk --every 4", "sayso habit done does not take “--every”; it is for sayso habit add, edit"),
        ("add Walk --to Run", "sayso habit add does not take “--to”; it is for sayso habit edit"),
        ("history Walk --every 0", "sayso habit history does not take “--every”; it is for sayso habit add, edit"),
        ("list Walk", "sayso habit list does not take “Walk”"),
    ],
)
def test_a_word_that_would_mean_nothing_is_refused(person: Path, words: str, said: str):
    run = sayso("habit", *words.split())

    assert (run.code, run.err) == (2, f"sayso: {said}\n")
    assert sayso("habit", "--json").document == {"habits": []}


def test_a_habit_that_is_not_there_is_told_with_close_names(person: Path):
    sayso("habit", "add", "Meditation")

    run = sayso("habit", "history", "meditatoin")

    assert run.code == 1
    assert "Close names: “Meditation”" in run.err
