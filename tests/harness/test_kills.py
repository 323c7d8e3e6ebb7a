"""What holds kills to account knows nothing of sayso, and what a run begins with is told apart from what it draws."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.kills_ground import ROOT
from tests.harness.kills_worlds import ANY, OPERATIONS, Thing, World, alike, seen

HERE = Path(__file__).parent
APART = ("kills_auditor", "kills_outsider")
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
