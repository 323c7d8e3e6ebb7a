"""The page about requirements counts what ran and passed in the last run, and nothing else."""

import json
from pathlib import Path

import pytest

from tools.requirements import report


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / ".build").mkdir()
    (tmp_path / "tests" / "requirements.txt").write_text("S0-01\nS0-02\nX-01\n")
    (tmp_path / "tests" / "other_ids.txt").write_text("T-01\nFS-01\n")
    return tmp_path


def after(tree: Path, *tests: tuple[str, str, list[str]]) -> list[str]:
    """Return the page after a run with these tests: name, outcome, ids."""
    results = {name: {"ids": ids, "outcome": outcome} for name, outcome, ids in tests}
    (tree / ".build" / "tests.json").write_text(json.dumps(results))
    return report(tree).splitlines()


def test_a_passing_test_proves_each_of_its_ids(tree: Path):
    page = after(tree, ("a", "passed", ["S0-01", "X-01"]))

    assert "S0-01  a" in page
    assert "no test (1): S0-02" in page
    assert page[-1] == "requirements with a passing test: 2 of 3"


def test_one_failing_test_is_enough_to_lose_an_id(tree: Path):
    page = after(tree, ("a", "passed", ["S0-01"]), ("b", "failed", ["S0-01"]))

    assert "failed (1): S0-01" in page
    assert page[-1] == "requirements with a passing test: 0 of 3"


def test_a_skipped_test_proves_nothing(tree: Path):
    page = after(tree, ("a", "skipped", ["S0-01"]))

    assert "only skipped (1): S0-01" in page
    assert page[-1] == "requirements with a passing test: 0 of 3"


def test_other_ids_are_listed_apart(tree: Path):
    page = after(tree, ("a", "passed", ["FS-01"]))

    assert "FS-01  a" in page
    assert page[-2:] == ["listed apart, with a passing test: 1 of 2", "requirements with a passing test: 0 of 3"]
