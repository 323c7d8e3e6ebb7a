"""`sayso task` changes the person's own list down the one path, and shows it."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states


def listed() -> list[str]:
    return sayso("task", "tree").out.splitlines()


@pytest.mark.req("S2-02", "S2-03", "S2-04", "S2-05", "S2-41")
def test_a_list_is_kept_and_each_change_can_be_taken_back(person: Path, sit: Sit):
    added = sayso("task", "add", "Dinner", "on", "Sunday", "--json").document
    sayso("task", "add", "--below", "dinner", "Buy wine")
    sayso("task", "add", "Bread", "--below", "dinner")
    sayso("task", "done", "bread")
    sayso("task", "move", "buy wine", "--top")
    sayso("task", "edit", "wine", "--to", "Buy red wine")

    before = listed()
    deleted = sit("task", "delete", "dinner on sunday")
    deleted.see("with its 1 subtask (1 completed)")

    assert added["results"][0]["approved_by"] == "command"
    assert before == ["[ ] Dinner on Sunday", "  [x] Bread", "[ ] Buy red wine"]
    assert deleted.end() == 0
    assert listed() == ["[ ] Buy red wine"]
    assert sayso("undo", "--yes").code == 0
    assert listed() == before
    assert sayso("task").out.splitlines() == ["[ ] Dinner on Sunday", "[ ] Buy red wine"]
    assert len(sayso("log", "--json").document["rows"]) == 8
    assert (person.parent / "sayso" / "tasks.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.req("T-59", "S2-22")
def test_what_is_not_clear_is_told_with_what_it_may_be(person: Path):
    for parent in ("Party", "Trip"):
        sayso("task", "add", parent)
        sayso("task", "add", "Wine", "--below", parent)

    unclear = sayso("task", "done", "wine", "--json")

    assert unclear.code == 1
    (result,) = unclear.document["results"]
    assert result["code"] == "target.ambiguous"
    assert "(under “Party”, id " in result["error"]
    assert "Close names: “Party”" in sayso("task", "done", "prty").out


@pytest.mark.req("SE-04", "T-58")
@pytest.mark.parametrize("words", ["wine", "buy wine for dinner"])
def test_where_no_person_sits_nothing_is_deleted_and_no_option_says_yes(person: Path, words: str):
    sayso("task", "add", "Buy wine for dinner")

    deleted = sayso("task", "delete", words, "--json")

    assert (deleted.code, states(deleted.document)) == (3, ["waiting"])
    assert sayso("task", "delete", words, "--yes").code == 2
    assert listed() == ["[ ] Buy wine for dinner"]


@pytest.mark.req("T-58")
def test_what_is_named_only_in_part_is_deleted_after_a_question(person: Path, sit: Sit):
    sayso("task", "add", "Buy wine for dinner")

    alone = sayso("task", "delete", "wine task", "--json")
    screen = sit("task", "delete", "wine task")
    screen.see("is not its whole text", "Delete “Buy wine for dinner”")
    screen.type("y\n")

    assert alone.code == 3
    assert states(alone.document) == ["waiting"]
    assert screen.end() == 0
    assert listed() == ["Nothing is to be done."]


@pytest.mark.parametrize("file", ["list.md", "list.ics"])
def test_a_list_goes_out_and_comes_back(person: Path, file: str, tmp_path: Path):
    path = str(tmp_path / file)
    (tmp_path / "in.md").write_text("# Shopping\n- [ ] Party\n  - [x] Wine, red; “dry”\n- [ ] 買い物 🍷\nwords\n")
    first = sayso("task", "import", str(tmp_path / "in.md"))
    before = listed()

    assert sayso("task", "export", path).code == 0
    assert sayso("undo", "--yes").code == 0
    assert listed() == ["Nothing is to be done."]
    assert sayso("task", "import", path, "--json").code == 0

    assert "left out: line 5" in first.err
    assert before == listed() == ["[ ] Party", "  [x] Wine, red; “dry”", "[ ] 買い物 🍷"]
    assert sayso("task", "export", path).code == 2


def test_a_list_of_which_something_cannot_be_taken_is_left_as_a_whole(person: Path, tmp_path: Path):
    (tmp_path / "in.md").write_text(f"- [ ] Bread\n- [ ] {'x' * 2001}\n")

    run = sayso("task", "import", str(tmp_path / "in.md"))

    assert run.code == 2
    assert "was added: task 2, “xxx" in run.err
    assert listed() == ["Nothing is to be done."]


@pytest.mark.parametrize(
    "words",
    [
        ("add",),
        ("frob",),
        ("move", "x"),
        ("move", "x", "--top", "--below", "y"),
        ("edit", "x"),
        ("import",),
        ("import", "/nowhere"),
        ("export", "a", "b"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_understood_is_told_in_one_sentence(person: Path, words: tuple[str, ...]):
    run = sayso("task", *words)

    assert run.code == 2
    assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("add X --top", "sayso task add does not take “--top”; it is for sayso task move"),
        ("add X --to Y", "sayso task add does not take “--to”; it is for sayso task edit"),
        ("add X --before=Y", "sayso task add does not take “--before”; it is for sayso task move"),
        ("done X --below Y", "sayso task done does not take “--below”; it is for sayso task add, move"),
        ("tree --all", "sayso task tree does not take “--all”; it is for sayso task list"),
        ("list extra words", "sayso task list does not take “extra”"),
        ("tree extra", "sayso task tree does not take “extra”"),
        (
            "edit X --to Y --format ical",
            "sayso task edit does not take “--format”; it is for sayso task import, export",
        ),
        ("export list.md --dry-run", "sayso task export does not take “--dry-run”; it is for sayso task add, done, "),
    ],
)
def test_a_word_that_would_mean_nothing_is_refused_before_anything_is_done(person: Path, words: str, said: str):
    sayso("task", "add", "X")

    run = sayso("task", *words.split())

    assert run.code == 2
    assert run.err.startswith(f"sayso: {said}")
    assert listed() == ["[ ] X"]
    assert not list(person.glob("**/list.md"))


def test_a_dry_run_changes_nothing(person: Path):
    run = sayso("task", "add", "Wine", "--dry-run", "--json")

    assert states(run.document) == ["planned"]
    assert sayso("task", "list", "--json").document == {"tasks": []}


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
def test_what_cannot_be_understood_is_told_in_one_sentence_habit(person: Path, words: tuple[str, ...]):
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
