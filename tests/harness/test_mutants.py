"""A change to guarded code is noticed by a test, and a test set that notices nothing is found out."""

import json
import os
import runpy
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.harness import mutants_list
from tests.harness.mutants import GUARDED
from tests.harness.mutants_actions import MUTANTS as ACTIONS
from tests.harness.mutants_actions import Mutant, changed, noticed
from tests.harness.mutants_forks import CRASHED, KILLED, SURVIVED, TIMED_OUT, loaded, swap, verdicts
from tests.harness.mutants_list import Listed, Mutants, rises
from tests.harness.mutants_made import mutants_of
from tests.house import ROOT

CLEAN, FOUND = 0, 1


def run(**asked: str) -> tuple[int, dict[str, Any], str]:
    """Run the mutants as `make mutants` does."""
    environ = {**os.environ, "SEED": "1", "BREAK": "", "MIN": "", **asked}
    command = [sys.executable, "-m", "tests.harness.mutants"]
    ran = subprocess.run(command, env=environ, cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.returncode, json.loads(ran.stdout or "{}"), ran.stderr


@pytest.mark.thorough
def test_a_sample_of_changes_is_noticed():
    tests = "tests/core/test_encoding.py tests/core/test_schema.py"

    code, told, said = run(N="10", FILES="core/encoding.py core/schema.py", TESTS=tests)

    assert code == CLEAN, said
    assert told["counts"]["mutants"] == 10
    assert sum(told["counts"].get(name, 0) for name in ("killed", "timed out", "listed")) == 10


@pytest.mark.thorough
def test_tests_that_hold_nothing_let_a_change_live_and_are_found_out(tmp_path: Path):
    weak = tmp_path / "test_weak.py"
    weak.write_text(
        'from sayso.core.encoding import canonical\n\n\ndef test_it_runs():\n    canonical([1, "x", None])\n'
    )

    code, told, said = run(N="12", FILES="core/encoding.py", TESTS=str(weak))

    assert code == FOUND, said
    assert told["broken"] > 3
    assert "survived: src/sayso/core/encoding.py" in said


@pytest.mark.parametrize("place", GUARDED)
def test_what_is_guarded_is_there(place: str):
    assert list(ROOT.glob(place))


def test_a_file_that_was_gone_through_stays_on_the_list_also_where_it_was_moved():
    assert mutants_list.risen(ROOT) == []


@pytest.mark.thorough
def test_the_list_of_mutants_that_may_live_holds():
    assert mutants_list.problems(ROOT) == []


# The machinery itself, on small files made for it.

SOURCE = '''
LIMIT = 3

def most(values, *, limit=LIMIT):
    """Say."""
    found = [value for value in values if value > 0]
    if len(found) >= limit and not values:
        raise ValueError("there are too many words")
    return sorted(found)[1:]
'''


@pytest.fixture
def made(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(SOURCE)
    return tmp_path


def test_every_piece_of_a_file_is_changed_and_its_words_are_left(made: Path):
    changes = {(mutant.name.was, mutant.name.becomes) for mutant in mutants_of(made, "a.py")}

    assert {
        ("LIMIT = 3", "LIMIT = 4"),
        ("found = [value for value in values if value > 0]", "found = [value for value in values]"),
        ("found = [value for value in values if value > 0]", "found = [value for value in values if value >= 0]"),
        ("if len(found) >= limit and (not values):", "if len(found) > limit and (not values):"),
        ("if len(found) >= limit and (not values):", "if not values:"),
        ("if len(found) >= limit and (not values):", "if len(found) >= limit and values:"),
        ("raise ValueError('there are too many words')", "pass"),
        ("return sorted(found)[1:]", "return None"),
        ("return sorted(found)[1:]", "return list(found)[1:]"),
        ("return sorted(found)[1:]", "return sorted(found)[2:]"),
        ("return sorted(found)[1:]", "return sorted(found)[:]"),
    } <= changes
    assert not any("many" in becomes and "XX" in becomes for _, becomes in changes)
    assert not any("Say" in was for was, _ in changes)


def test_a_change_says_where_it_is_and_leaves_the_file_as_it_was(made: Path):
    first, *_ = mutants = mutants_of(made, "a.py")

    assert not first.in_function
    assert str(first) == "a.py:2 (file): 'LIMIT = 3' → 'LIMIT = 4'"
    assert {mutant.name.function for mutant in mutants} == {"", "most"}
    for mutant in mutants:
        mutant.code(made / "a.py")
    assert [mutant.name for mutant in mutants_of(made, "a.py")] == [mutant.name for mutant in mutants]


def test_a_change_counts_for_whoever_has_the_function_already(made: Path):
    path = made / "a.py"
    most: Callable[..., list[int]] = runpy.run_path(str(path))["most"]
    changed = next(m for m in mutants_of(made, "a.py") if m.name.becomes == "return list(found)[1:]")
    beside = next(m for m in mutants_of(made, "a.py") if m.name.becomes == "LIMIT = 4")
    functions = loaded([str(path)])[str(path)]
    before = most([3, 1, 2], limit=9)

    assert not swap(functions, beside.code(path))
    assert swap(functions, changed.code(path))
    assert (before, most([3, 1, 2], limit=9)) == ([2, 3], [1, 2])


def test_what_hangs_or_dies_in_a_fork_is_told_from_what_ends():
    def work(task: str) -> bytes:
        if task == "hangs":
            time.sleep(60)
        if task == "dies":
            os._exit(3)
        return SURVIVED if task == "lives" else KILLED

    tasks = [("hangs", 0.3), ("dies", 30.0), ("lives", 30.0), ("fails", 30.0)]

    assert dict(verdicts(tasks, work, 2)) == {"hangs": TIMED_OUT, "dies": CRASHED, "lives": SURVIVED, "fails": KILLED}


@pytest.mark.needs("mount", "umount")
def test_what_an_ended_test_has_mounted_is_taken_down_again(tmp_path: Path):
    def work(_: str) -> bytes:
        folder = Path(os.environ["TMPDIR"], "d")
        folder.mkdir()
        (tmp_path / "place").write_text(str(folder))
        done = subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=False)
        return SURVIVED if done.returncode == 0 else KILLED

    ((_, said),) = verdicts([("mounts", 30.0)], work, 1)

    assert said in {SURVIVED, KILLED}
    assert not Path((tmp_path / "place").read_text()).exists()


def entry(was: str, file: str = "a.py", why: str = "it is the same") -> Listed:
    """Return an entry of the list."""
    return Listed(file, "most", was, "pass", why)


@pytest.mark.parametrize(
    ("was", "why", "said"),
    [
        ("raise ValueError('there are too many words')", "it is the same", ""),
        ("raise ValueError('there are too many words')", " ", "say why it may live"),
        ("raise KeyError", "it is the same", "no such change can be made any more"),
    ],
    ids=["fits", "no reason", "gone"],
)
def test_an_entry_that_no_longer_fits_or_has_no_reason_is_a_problem(made: Path, was: str, why: str, said: str):
    (made / "tests").mkdir()
    words = {"file": "a.py", "function": "most", "was": was, "becomes": "pass", "why": why}
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in words.items()]
    (made / mutants_list.FILE).write_text("[[listed]]\n" + "".join(lines))

    assert [said in problem for problem in mutants_list.problems(made)] == [True] * bool(said)


def test_for_a_file_that_was_gone_through_the_list_only_gets_shorter():
    before = Mutants(("a.py",), (entry("x"), entry("y")))

    assert rises(before, Mutants(("a.py",), (entry("x"), entry("z")))) == []
    assert rises(before, Mutants(("a.py",), (entry("x"),))) == []
    assert rises(before, Mutants(("a.py", "b.py"), (entry("x"), entry("y"), entry("x", "b.py")))) == []
    assert (
        "has 3 listed mutants; it had 2" in rises(before, Mutants(("a.py",), (entry("x"), entry("y"), entry("z"))))[0]
    )
    assert rises(before, Mutants((), ())) == ["a.py was gone through"]


def test_a_file_that_was_moved_is_held_to_its_list_where_it_stands_now():
    before, moved = Mutants(("a.py",), (entry("x"),)), {"a.py": "b.py"}

    assert rises(before, Mutants(("b.py",), (entry("x", "b.py"),), moved)) == []
    assert "b.py has 2" in rises(before, Mutants(("b.py",), (entry("x", "b.py"), entry("y", "b.py")), moved))[0]
    assert rises(before, Mutants((), (), moved)) == ["a.py was gone through"]


def each_action(mutants: tuple[Mutant, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mutant", mutants, ids=[mutant.name for mutant in mutants])


@each_action(ACTIONS)
def test_a_change_to_an_example_action_still_has_its_text(mutant: Mutant, tmp_path: Path):
    changed(mutant, tmp_path / "actions")

    assert mutant.new in (tmp_path / "actions" / mutant.file).read_text("utf-8")


@pytest.mark.thorough
@each_action(ACTIONS)
def test_a_change_to_an_example_action_is_noticed(mutant: Mutant):
    assert noticed(mutant)
