"""Try every operation on the desktop for its six outcomes, and print what each came to, or why it has none."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.journeys.outcomes import OUTCOMES, table, tried

ROOT = Path(__file__).parent.parent
SIGNS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}
WORST = ("failed", "skipped", "passed")
SERVICE = {"ended": "_has_ended_", "hangs": "_hangs_"}
"""The outcomes that one test tries on all operations at once, by what its name holds."""
COLUMNS = (*OUTCOMES, *SERVICE)
Cells = Mapping[tuple[str, str, str], str]
"""What provider, operation and outcome came to."""


class Seen:
    """Remembers what the cases came to."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str, str], str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the worst of the phases of a case."""
        if report.when == "call" or report.outcome != "passed":
            for cell in cells_of(report.nodeid):
                self.cells[cell] = min(self.cells.get(cell, "passed"), report.outcome, key=WORST.index)


def cells_of(node: str) -> Iterator[tuple[str, str, str]]:
    """Yield the cells that a test fills."""
    file, _, name = node.partition("::")
    provider = Path(file).stem.removeprefix("test_outcomes_")
    for outcome, part in SERVICE.items():
        if part in name:
            yield from ((provider, operation, outcome) for operation in table(provider))
    if "[" in name:
        operation, _, outcome = name.partition("[")[2].rstrip("]").rpartition("-")
        if outcome in OUTCOMES:
            yield provider, operation, outcome


def lines(cells: Cells, provider: str) -> Iterator[str]:
    """Yield the table of one provider, and below it why there is nothing where there is nothing."""
    rows = table(provider)
    first = max(len(operation) for operation in rows)
    yield f"{provider:<{first}}  " + "  ".join(f"{column:<9}" for column in COLUMNS).rstrip()
    for operation, row in rows.items():
        signs = (_sign(cells, provider, operation, row, column) for column in COLUMNS)
        yield f"{operation:<{first}}  " + "  ".join(f"{sign:<9}" for sign in signs).rstrip()
    for operation, row in rows.items():
        yield from (
            f"  {operation}, {outcome}: {row[outcome]}" for outcome in OUTCOMES if isinstance(row[outcome], str)
        )


def _sign(cells: Cells, provider: str, operation: str, row: Mapping[str, object], outcome: str) -> str:
    if isinstance(row.get(outcome), str):
        return "none"
    return SIGNS.get(cells.get((provider, operation, outcome), ""), "-")


def problems(cells: Cells, providers: list[str]) -> Iterator[str]:
    """Yield what failed, was skipped or was not tried."""
    for provider in providers:
        for operation, row in table(provider).items():
            for outcome in COLUMNS:
                came_to = cells.get((provider, operation, outcome), "not tried")
                if not isinstance(row.get(outcome), str) and came_to != "passed":
                    yield f"{provider}: {operation}, {outcome}: {came_to}"


def main() -> int:
    """Run, print, and return 0 when every operation has every outcome or a reason."""
    providers = tried()
    files = [str(ROOT / "tests" / "journeys" / f"test_outcomes_{provider}.py") for provider in providers]
    seen = Seen()
    # The table of outcomes has imported what pytest would like to rewrite.
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
    workers = ("-n", os.environ.get("WORKERS", "2"), "--dist", "loadfile")
    options = (*workers, "-q", "--no-header", "-p", "no:randomly", "--ring", "all", *quiet)
    ran = pytest.main([*files, *options], plugins=[seen])
    for provider in providers:
        print(*lines(seen.cells, provider), "", sep="\n")
    wrong = list(problems(seen.cells, providers))
    print(*wrong, f"{len(seen.cells)} outcomes, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or ran else 0


if __name__ == "__main__":
    sys.exit(main())
