"""The short form of every long run finds nothing as sayso is, and finds each bug that is planted in it.

A short form walks a fixed list, with a planted bug or without, so that it does the same each time. The planted bugs are
looked for in the thorough ring. One of them, `BREAK=again make fuzz`, shows only in how long reading takes.
"""

import ast
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.desktop_env.session import Session, wait_for
from tests.harness.check import HARNESSES, checked, needed, runs
from tests.harness.fuzz_many import MODULES, OF_OTHERS, WRITING
from tests.harness.injection import Replay
from tests.harness.injection_cases import OWN, read_cases
from tests.harness.kills_deeds import ROOT
from tests.harness.kills_worlds import ANY, OPERATIONS, Thing, World, alike, seen
from tests.harness.leftovers import LISTENER, around
from tests.harness.long_run import CAUGHT, CLEAN, UNUSABLE, Run, start_run
from tests.harness.soak_oracle import BASE, Errand, Oracle
from tests.mail_env.smtp import smtp

RUNS = list(runs(HARNESSES))
PROVES = {
    "fuzz": ("PA-11",),
    "injection": ("T-111",),
    "races": ("FS-04", "FS-08", "FS-14"),
    "kills": ("CR-01", "CR-02"),
}
"""The cases that a clean run is about."""
LATER = {"races", "leftovers", "injection", "soak_page"}
"""The harnesses that run in the thorough ring alone: what they look for has tests of its own in the first."""
DRAWN = {"kills": 4, "races": 4, "fuzz": 2, "leftovers": 2}
"""The runs whose short form walks a fixed list, and how many times as long they are where they draw."""


def marks(harness: str, planted: str | None) -> list[pytest.MarkDecorator]:
    """Return what a run needs, what it proves, and in which ring it is."""
    proves = PROVES.get(harness, ()) if planted is None else ()
    return [
        pytest.mark.needs(*needed(harness)),
        *([pytest.mark.req(*proves)] if proves else []),
        *([pytest.mark.thorough] if planted or harness in LATER else []),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("harness", "times"),
    [pytest.param(name, times, marks=pytest.mark.needs(*needed(name)), id=name) for name, times in DRAWN.items()],
)
def test_a_harness_finds_nothing_where_it_draws_what_it_tries(harness: str, times: int):
    (short,) = [n for name, planted, n in RUNS if name == harness and planted is None]

    found = checked(harness, None, times * short)

    assert found.as_it_should, f"{found.code}: {found.seen}\n{found.line}"


@pytest.mark.parametrize(
    ("harness", "planted", "n"),
    [pytest.param(*run, marks=marks(run[0], run[1]), id=f"{run[0]}-{run[1] or 'clean'}") for run in RUNS],
)
def test_a_harness_passes_what_is_sound_and_catches_what_is_planted(harness: str, planted: str | None, n: int):
    found = checked(harness, planted, n)

    assert found.as_it_should, f"{found.code}: {found.seen}\n{found.line}"


def test_what_the_fuzzer_counts_the_branches_of_is_there():
    named = {name for names in (WRITING, *OF_OTHERS.values()) for name in names}
    files = {module: ROOT / "src/sayso/dialects" / f"{module}.py" for names in MODULES.values() for module in names}

    missing = [module for module, file in files.items() if not file.is_file()]
    there = {
        name for file in files.values() if file.is_file() for name in functions_of(ast.parse(file.read_text("utf-8")))
    }

    assert (missing, named - there) == ([], set())


def functions_of(tree: ast.AST, within: str = "") -> Iterator[str]:
    """Yield the names of all functions, those of methods with the names of their classes before them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield f"{within}{node.name}"
            yield from functions_of(node, f"{within}{node.name}.")


@pytest.mark.req("T-111")
async def test_some_attacks_do_nothing_unasked_and_would_without_policy(tmp_path: Path):
    attacks = [case for case in read_cases(OWN.read_text("utf-8")) if case.kind == "attack"][::3]
    run = Run("injection", 1, len(attacks), 0.0, "")

    with smtp() as post:
        replay = Replay(run, tmp_path, post, attacks)
        await replay.all(["destructive"], ["lines"])

    assert run.broken == []
    assert replay.could


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEED", "N", "MIN", "BREAK"):
        monkeypatch.delenv(name, raising=False)


def test_a_run_says_seed_counts_and_coverage_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SEED", "7")
    run = start_run("kills", {}, 5)
    run.count("kills", 5)
    run.coverage["boundaries"] = 3

    assert run.ended() == CLEAN

    line = json.loads(capsys.readouterr().out)
    assert (line["run"], line["seed"], line["n"], line["break"]) == ("kills", 7, 5, None)
    assert (line["counts"], line["coverage"], line["broken"]) == ({"kills": 5}, {"boundaries": 3}, 0)


def test_a_breach_ends_a_run_as_caught_and_too_few_tries_as_unusable(capsys: pytest.CaptureFixture[str]):
    broken, thin = start_run("kills", {}, 5), start_run("kills", {}, 5)
    broken.breach("a file is lost")
    broken.gap("no undo was killed")
    thin.gap("no undo was killed")

    assert (broken.ended(), thin.ended()) == (CAUGHT, UNUSABLE)
    assert "a file is lost" in capsys.readouterr().err


def test_the_planted_bug_that_is_named_is_planted(monkeypatch: pytest.MonkeyPatch):
    planted: list[str] = []
    monkeypatch.setenv("BREAK", "early")

    run = start_run("kills", {"early": lambda: planted.append("early"), "late": lambda: planted.append("late")}, 5)

    assert (run.planted, planted) == ("early", ["early"])


@pytest.mark.parametrize(("name", "value", "said"), [("BREAK", "no-such", "early"), ("N", "many", "whole numbers")])
def test_what_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str):
    monkeypatch.setenv(name, value)

    with pytest.raises(SystemExit, match=said):
        start_run("kills", {"early": lambda: None}, 5)


def test_a_run_of_minutes_ends_by_the_clock_and_not_by_the_count(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MIN", "2")
    run = start_run("soak", {}, 1_000)

    assert not run.over(5_000)
    run.began -= 120
    assert run.over(0)


@pytest.fixture
def session() -> Iterator[Session]:
    """Return a session with nothing in it."""
    made = Session()
    made.environment["DISPLAY"] = ":987"
    yield made
    made.close()


def test_who_listens_is_told_with_the_port(session: Session):
    before = around(session)
    process = session.start(sys.executable, "-c", LISTENER)

    left = wait_for(lambda: [one for one in around(session) - before if one.startswith("listening")])

    assert left[0].endswith(f"in process {process.pid}")
    assert "tcp port" in left[0]


def test_a_process_that_was_given_another_home_is_seen_by_what_it_was_told(session: Session):
    session.start(sys.executable, "-c", "import time; time.sleep(60)", session.home / "own", HOME="/nowhere")

    assert wait_for(lambda: [one for one in around(session) if "time.sleep" in one])


def test_files_and_nothing_of_other_sessions_are_seen(session: Session):
    (session.home / "tmp").mkdir()
    before = around(session)
    (session.home / "tmp" / "left").touch()

    assert list(around(session) - before) == [f"file {session.home / 'tmp' / 'left'}"]


HERE = Path(__file__).parent
APART = ("kills_auditor", "kills_outsider", "soak_oracle")
OLD = {
    "Documents": Thing("d", 0o755, 0, "", 1),
    "Documents/a.txt": Thing("f", 0o640, 7, seen(b"one\n", {}), 2),
    "Documents/sub": Thing("d", 0o755, 0, "", 3),
}


def imported(name: str) -> set[str]:
    """Return every module that one of the harness needs, directly or not."""
    tree = ast.parse((HERE / f"{name}.py").read_text())
    found = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    found |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    beside = [module.removeprefix("tests.harness.") for module in found if module.startswith("tests.harness.")]
    return found.union(*map(imported, beside))


@pytest.mark.parametrize("name", APART)
def test_who_judges_and_who_stands_beside_know_nothing_of_sayso(name: str):
    needed = {module for module in imported(name) if not module.startswith("tests.harness.kills_")}

    assert {module.split(".")[0] for module in needed} <= sys.stdlib_module_names


def test_where_they_run_sayso_cannot_be_imported():
    ran = subprocess.run([sys.executable, "-S", "-E", "-c", "import sayso"], cwd=ROOT, capture_output=True, check=False)

    assert b"ModuleNotFoundError" in ran.stderr


@pytest.mark.parametrize(
    ("operation", "arguments", "news", "gone"),
    [
        ("file.move", {"source": "~/Documents/a.txt", "destination": "~/Documents/sub/b"}, {"Documents/sub/b"}, 1),
        ("file.copy", {"source": "~/Documents/a.txt", "destination": "~/Documents/b"}, {"Documents/b"}, 0),
        ("file.delete", {"path": "~/Documents/a.txt"}, set[str](), 1),
        ("file.mkdir", {"path": "~/Documents/x/y"}, {"Documents/x", "Documents/x/y"}, 0),
        ("file.write", {"path": "~/Documents/new", "content": "two"}, {"Documents/new"}, 0),
        ("file.append", {"path": "~/Documents/a.txt", "content": "two"}, set[str](), 0),
    ],
)
def test_the_auditor_knows_what_each_operation_makes_of_a_world(
    operation: str, arguments: dict[str, str], news: set[str], gone: int
):
    contents = {seen(b"one\n", {}): b"one\n"}

    after = OPERATIONS[operation](OLD, arguments, contents)

    assert after is not None
    assert after.keys() - OLD.keys() == news
    assert len(OLD.keys() - after.keys()) == gone


def test_what_is_new_has_an_inode_of_its_own():
    expected: World = {"b": Thing("f", 0o640, ANY, "x", ANY)}

    assert alike(expected, {"b": Thing("f", 0o640, 9, "x", 5)}, frozenset({2}))
    assert not alike(expected, {"b": Thing("f", 0o640, 9, "x", 2)}, frozenset({2}))


def test_a_world_in_which_it_cannot_be_done_is_told():
    arguments = {"source": "~/Documents/a.txt", "destination": "~/Documents/sub"}

    assert OPERATIONS["file.move"](OLD, arguments, {}) is None


def test_somebody_else_writes_down_what_is_theirs(tmp_path: Path):
    (tmp_path / "home" / "Documents").mkdir(parents=True)
    (tmp_path / "home" / "Downloads").mkdir()
    (tmp_path / "home" / "Documents" / "b.txt").write_text("ours")
    told = [["come", str(tmp_path), 1], ["occupy", "Documents/b.txt", "f"]]

    subprocess.run(
        [sys.executable, "-S", "-E", "-m", "tests.harness.kills_outsider"],
        input="".join(json.dumps(line) + "\n" for line in told).encode(),
        cwd=ROOT,
        capture_output=True,
        check=True,
    )

    taken, mine = map(json.loads, (tmp_path / "diary").read_text().splitlines())
    assert taken == {"taken": "Documents/b.txt", "to": "Downloads/taken 1"}
    assert mine["inode"] == (tmp_path / "home" / "Documents" / "b.txt").stat().st_ino
    assert (tmp_path / "home" / "Downloads" / "taken 1").read_text() == "ours"


def judged(folder: Path, errand: Errand, state: str, file: str | None) -> list[str]:
    """Return what the oracle says of an errand in this state whose own file has this text now."""
    for place in (folder / "own", folder / "Documents" / "Moved"):
        place.mkdir(parents=True)
    errand.run, errand.sent = "run_1", {"yes"}
    if file is not None:
        (folder / "Documents" / errand.file).write_text(file)
    with closing(sqlite3.connect(folder / "own" / "sayso.db")) as journal, journal:
        journal.execute("CREATE TABLE history (id, run, state, undo_of, marks)")
        journal.execute("INSERT INTO history VALUES ('do_1', 'run_1', ?, NULL, '{}')", (state,))
    return Oracle(folder).look([errand])


@pytest.mark.parametrize(
    ("errand", "state", "file", "said"),
    [
        (Errand("1", "append", told="done"), "done", f"{BASE}line 1\nline 1\n", "was done 2 times"),
        (Errand("1", "append", told="done"), "done", BASE, "is not what the journal says"),
        (Errand("1", "append", told=""), "failed", f"{BASE}line 1\n", "is not what the journal says"),
        (Errand("1", "append", told=""), "running", BASE, "nobody is left"),
        (Errand("1", "append", told="done"), "failed", BASE, "was said to be otherwise"),
        (Errand("1", "append", told="done"), "undone", BASE, "nobody asked for it"),
        (Errand("1", "write", told="done"), "done", "line", "has 'line'"),
        (Errand("1", "move", told=""), "unknown", None, r"has \[''\]"),
        (Errand("1", "delete", told="done"), "done", "line 1\n", "is not what the journal says"),
    ],
)
def test_the_oracle_of_the_page_tells_what_was_lost_doubled_or_said_otherwise(
    tmp_path: Path, errand: Errand, state: str, file: str | None, said: str
):
    (wrong,) = judged(tmp_path, errand, state, file)

    assert re.search(said, wrong)


@pytest.mark.parametrize(
    ("kind", "state", "file"),
    [
        ("append", "done", f"{BASE}line 1\n"),
        ("append", "failed", BASE),
        ("write", "unknown", "line 1\n"),
        ("write", "unknown", None),
        ("move", "waiting", "line 1\n"),
    ],
)
def test_the_oracle_of_the_page_passes_what_is_as_it_is_said(tmp_path: Path, kind: str, state: str, file: str | None):
    assert judged(tmp_path, Errand("1", kind), state, file) == []
