"""The table of outcomes tells every hole, and the page about requirements counts what ran and passed."""

import json
from pathlib import Path

import pytest

from tests.journeys.outcomes import FOLDER, OUTCOMES, table, tried
from tools.outcomes import COLUMNS, SERVICE, cells_of, lines, problems
from tools.requirements import report

NODE = "tests/journeys/test_outcomes_browser.py::test_{}"


def full() -> dict[tuple[str, str, str], str]:
    """Return what a run without a fault fills."""
    return {
        ("apps", operation, outcome): "passed"
        for operation, row in table("apps").items()
        for outcome in COLUMNS
        if not isinstance(row.get(outcome), str)
    }


def test_a_full_table_has_no_problem_and_names_every_reason():
    told = list(lines(full(), "apps"))

    assert list(problems(full(), ["apps"])) == []
    assert told[0].split() == ["apps", *COLUMNS]
    assert told[1].split() == ["app.list", "ok", "ok", "none", "none", "ok", "ok"]
    assert "  app.list, missing: it names nothing" in told


@pytest.mark.parametrize(("came_to", "sign"), [("failed", "FAILED"), ("skipped", "skipped"), (None, "-")])
def test_every_hole_is_told(came_to: str | None, sign: str):
    given = full()
    del given["apps", "app.list", "hangs"]
    cells = {**given, **({("apps", "app.list", "hangs"): came_to} if came_to else {})}

    assert list(problems(cells, ["apps"])) == [f"apps: app.list, hangs: {came_to or 'not tried'}"]
    assert list(lines(cells, "apps"))[1].split()[-1] == sign


def test_a_test_fills_the_cells_that_its_name_says():
    assert list(cells_of(NODE.format("what_came_of_it[tab.close-missing]"))) == [("browser", "tab.close", "missing")]
    assert {cell[2] for cell in cells_of(NODE.format("a_browser_that_hangs_ends_each"))} == {"hangs"}
    assert {cell[1] for cell in cells_of(NODE.format("a_browser_that_has_ended_is_named"))} == set(table("browser"))
    assert list(cells_of(NODE.format("every_operation_has_each_outcome"))) == []


def test_each_provider_has_a_test_for_a_service_that_ended_and_one_that_hangs():
    tests = FOLDER.parent.parent / "journeys"
    for provider in tried():
        text = (tests / f"test_outcomes_{provider}.py").read_text()

        assert all(part in text for part in SERVICE.values()), provider
        assert all(set(row) == set(OUTCOMES) for row in table(provider).values()), provider


NONE = "0 of 3 (real 0, simulated 0, read only 0)"


@pytest.mark.parametrize(
    ("tests", "lines", "proven"),
    [
        (
            {"a": ("passed", ["S0-01", "X-01"], "real")},
            ["S0-01  real       a", "no test (1): S0-02"],
            "2 of 3 (real 2, simulated 0, read only 0)",
        ),
        ({"a": ("passed", ["S0-01"], "real"), "b": ("failed", ["S0-01"], "real")}, ["failed (1): S0-01"], NONE),
        ({"a": ("skipped", ["S0-01"], "read only")}, ["only skipped (1): S0-01"], NONE),
        (
            {"a": ("passed", ["FS-01"], "read only")},
            ["FS-01  read only  a", "listed apart, with a passing test: 1 of 2 (real 0, simulated 0, read only 1)"],
            NONE,
        ),
        (
            {"a": ("passed", ["S0-01"], "read only"), "b": ("passed", ["S0-01", "S0-02"], "simulated")},
            ["S0-01  read only  a", "       simulated  b", "only simulated (2): S0-01 S0-02"],
            "2 of 3 (real 0, simulated 2, read only 0)",
        ),
    ],
    ids=["passed", "failed once", "skipped", "other ids", "simulated"],
)
def test_an_id_is_proven_by_tests_that_all_passed(
    tmp_path: Path, tests: dict[str, tuple[str, list[str], str]], lines: list[str], proven: str
):
    (tmp_path / "tests").mkdir()
    (tmp_path / ".build").mkdir()
    (tmp_path / "tests" / "requirements.txt").write_text("S0-01\nS0-02\nX-01\n")
    (tmp_path / "tests" / "other_ids.txt").write_text("T-01\nFS-01\n")
    results = {name: {"ids": ids, "outcome": outcome, "proof": proof} for name, (outcome, ids, proof) in tests.items()}
    (tmp_path / ".build" / "tests.json").write_text(json.dumps(results))

    page = report(tmp_path).splitlines()

    assert set(lines) <= set(page)
    assert page[-1] == f"requirements with a passing test: {proven}"
