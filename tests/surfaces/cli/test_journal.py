"""What only lists the journal reads it without opening the home, and says the same as where the home is opened."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.record import Record
from sayso.surfaces.cli import commands
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.main import TABLE
from tests.surfaces.cli.person import sayso

LISTS = ("log", "log --limit 2", "log --operation file.*", "log --state failed,expired", "log --since 1h", "pending")
FOLDER = Path(commands.__path__[0])
HEAVY = {"asyncio", "anyio", "ssl", "logging", "email", "socket"}


@pytest.fixture
def home(person: Path) -> Path:
    """Return a home with rows of many kinds: done, undone, refused, not understood, not done, and waiting."""
    (person / "Downloads" / "b.txt").write_text("second\n")
    page = 'CREATE_FOLDER ~/Documents/x\nFLY "x\u202e"\nMOVE_FILE ~/Documents/no ~/Documents/z\nFILE_LIST ~/Documents\n'
    sayso("run", "--dialect", "lines", text=page)
    sayso("run", "--dialect", "lines", text='CREATE_FOLDER "~/Documents/y"\n')
    sayso("undo", "--yes")
    sayso("run", "--dialect", "lines", text='DELETE_FILE "~/Downloads/a.txt"\nDELETE_FILE "~/Downloads/b.txt"\n')
    sayso("decline", sayso("pending", "--json").document["rows"][0]["id"])
    return person.parent / "sayso"


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    """Return what says whether homes may be opened: where not, opening one is an error of the test."""
    with monkeypatch.context() as patch:

        def choose(only_view: bool) -> None:
            patch.undo()
            if only_view:
                patch.setattr("sayso.surfaces.cli.home.open_home", None)
            else:
                patch.setattr("sayso.surfaces.cli.journal.list_offers", lambda: ("something",))

        yield choose


def opens_home(monkeypatch: pytest.MonkeyPatch) -> bool:
    """Say whether `sayso log` opens the home."""
    opened: list[bool] = []

    def open_it(here: CommandContext, read: object) -> tuple[list[Record], int]:
        opened.append(True)
        return [], 0

    monkeypatch.setattr("sayso.surfaces.cli.home.read_in_home", open_it)
    sayso("log")
    return bool(opened)


def test_every_command_that_reads_the_journal_is_tried():
    reading = {file.stem for file in FOLDER.glob("*.py") if "read_journal(" in file.read_text("utf-8")}
    named = {name for name, entry in TABLE.items() if entry.place.partition(":")[0].rpartition(".")[2] in reading}

    assert named == {words.split()[0] for words in (*LISTS, "show")}, "add the command to LISTS"


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_both_ways_print_the_same(home: Path, closed: Callable[[bool], None], more: tuple[str, ...]):
    rows = sayso("log", "--json").document["rows"]
    shown = [f"show {row['id']}" for row in rows] + [f"show {run}" for run in {row["run"] for row in rows}]

    for words in (*LISTS, *shown, "show do_0D8M2YQ5Z3F4K", "show run_0D8M2YQ5Z3F4K", f"log --before {rows[2]['id']}"):
        closed(True)
        view = sayso(*words.split(), *more)
        closed(False)
        assert sayso(*words.split(), *more) == view, words

    assert {row["state"] for row in rows} >= {"done", "undone", "invalid", "failed", "waiting", "declined"}


def test_what_is_over_expires_before_it_is_listed(home: Path, closed: Callable[[bool], None]):
    twin = shutil.copytree(home, home.with_name("twin"))
    for folder in (home, twin):
        with closing(sqlite3.connect(folder / "sayso.db")) as journal, journal:
            journal.execute("UPDATE action SET expires = time WHERE state = 'waiting'")

    first = sayso("pending")
    closed(False)

    assert sayso("pending", SAYSO_HOME=str(twin)) == first
    assert first.out == "Nothing waits for you.\n"
    assert "expired" in [row["state"] for row in sayso("log", "--json").document["rows"]]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE action SET state = 'running' WHERE key = (SELECT max(key) FROM action)",
        "PRAGMA user_version = 2",
        "PRAGMA user_version = 9",
        "PRAGMA application_id = 1",
        "DROP TABLE short",
        "PRAGMA journal_mode = DELETE",
    ],
)
def test_a_journal_that_needs_more_than_a_look_is_opened_with_its_home(
    home: Path, monkeypatch: pytest.MonkeyPatch, change: str
):
    with closing(sqlite3.connect(home / "sayso.db")) as journal, journal:
        journal.execute(change)
    assert opens_home(monkeypatch)


@pytest.mark.parametrize("change", ["upkeep", "sayso.db", "rights", "settings"])
def test_a_home_in_which_something_is_due_is_opened(home: Path, monkeypatch: pytest.MonkeyPatch, change: str):
    if change == "rights":
        (home / "sayso.db").chmod(0o644)
    elif change == "settings":
        (home / "config.toml").write_text("odd")
    else:
        (home / change).unlink()
    assert opens_home(monkeypatch)


def test_a_list_imports_neither_tasks_nor_sockets_nor_providers(home: Path):
    code = (
        "import sys; from sayso.surfaces.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )

    for words in (["log"], ["pending", "--json"]):
        ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        modules = set(ran.stderr.split())

        assert ran.stdout
        assert not HEAVY & modules
        assert not {name for name in modules if name.startswith(("sayso.assistant", "sayso.dialects"))}
        # Settings name what each provider takes; what a provider does is imported with the home.
        assert not {name for name in modules if re.fullmatch(r"sayso\.providers\.\w+\..+", name)}


def test_reading_a_text_imports_nothing_of_the_journal(home: Path):
    code = (
        "import sys; from sayso.surfaces.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )

    words, text = ["parse", "--dialect", "lines"], "CREATE_FOLDER ~/Documents/x\n"
    ran = subprocess.run([sys.executable, "-c", code, *words], input=text, capture_output=True, text=True, check=True)
    modules = set(ran.stderr.split())

    assert "file.mkdir" in ran.stdout
    assert not (HEAVY | {"sqlite3"}) & modules
    assert not {name for name in modules if name.startswith("sayso.journal")}


def test_a_folder_that_others_may_look_into_is_told_either_way(home: Path, closed: Callable[[bool], None]):
    home.chmod(0o755)

    closed(True)
    view = sayso("log")
    closed(False)

    assert sayso("log") == view
    assert "others may look into" in view.err
    assert os.fspath(home) in view.err
