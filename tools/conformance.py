"""Run the shipped suites on every backend there is, and print what each backend came to in each case."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from sayso.assembly.parts import PROVIDERS

ROOT = Path(__file__).parent.parent
SHIPPED = "sayso.testing."
SIGNS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}
NOT_HELD = {
    ("AppsSuite", "wayland"): "says only why windows cannot be had there, and what to do",
}
"""Backends that do nothing, so that no suite could hold them, with the reason."""
WORST = ("failed", "skipped", "passed")
EMPTY = "-"


class Cell(NamedTuple):
    """One backend in one case of a suite."""

    suite: str
    backend: str
    case: str


Cells = Mapping[Cell, str]


class Suites:
    """Chooses the tests that a class inherits from a suite, and remembers what they came to."""

    def __init__(self) -> None:
        self.cells: dict[Cell, str] = {}
        self._by_node: dict[str, Cell] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the cases of suites only."""
        chosen = [(item, cell) for item in items if (cell := cell_of(item)) is not None]
        self._by_node = {item.nodeid: cell for item, cell in chosen}
        items[:] = [item for item, _ in chosen]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the worst of what the phases and the parameters of a case came to."""
        cell = self._by_node[report.nodeid]
        if report.when == "call" or report.outcome != "passed":
            self.cells[cell] = min(self.cells.get(cell, "passed"), report.outcome, key=WORST.index)


def cell_of(item: pytest.Item) -> Cell | None:
    """Return what a test is a case of; None for one that no suite brought along."""
    if not isinstance(item, pytest.Function) or item.cls is None:
        return None
    for base in item.cls.__mro__:
        if base.__module__.startswith(SHIPPED) and item.originalname in vars(base):
            return Cell(base.__name__, backend_of(item.path, item.cls.__name__), item.originalname)
    return None


def backend_of(file: Path, called: str) -> str:
    """Return the backend that a file tests: the folder it is in below its store, else its own name."""
    parts = file.relative_to(ROOT / "tests").parts
    places = parts[2:-1] if parts[0] == "providers" else parts[1:-1]
    kind = places[0] if places else file.stem.removeprefix("test_")
    said = called.removeprefix("Test")
    return kind if said.lower() in {kind, kind.replace("_", "")} else f"{kind}, {said}"


def wanted() -> dict[str, set[str]]:
    """Return for each suite the kinds of backend that there are."""
    kinds = {f"{part.settings_section.capitalize()}Suite": set(part.backends) for part in PROVIDERS}
    return {**kinds, "JournalSuite": {"memory", "sqlite"}}


def problems(cells: Cells, kinds: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield what is missing, empty, skipped or failed."""
    suites = {cell.suite for cell in cells}
    for suite in sorted(suites):
        backends, cases = axes(cells, suite)
        there = {backend.partition(",")[0] for backend in backends}
        for kind in sorted(kinds.get(suite, set()) - there):
            if (suite, kind) not in NOT_HELD:
                yield f"{suite}: no column for “{kind}”"
        for backend in backends:
            for case in cases:
                came_to = cells.get(Cell(suite, backend, case), "empty")
                if came_to != "passed":
                    yield f"{suite}: {backend}: {case}: {came_to}"


def axes(cells: Cells, suite: str) -> tuple[list[str], list[str]]:
    """Return the backends and the cases of a suite."""
    backends = sorted({cell.backend for cell in cells if cell.suite == suite})
    return backends, sorted({cell.case for cell in cells if cell.suite == suite})


def table(cells: Cells, suite: str) -> Iterator[str]:
    """Yield the lines of one suite's table."""
    backends, cases = axes(cells, suite)
    widths = [max(len(backend), len("skipped")) for backend in backends]
    first = max(map(len, (suite, *cases)))
    yield f"{suite:<{first}}  " + "  ".join(f"{backend:<{w}}" for backend, w in zip(backends, widths, strict=True))
    for case in cases:
        said = [SIGNS.get(cells.get(Cell(suite, backend, case), ""), EMPTY) for backend in backends]
        row = "  ".join(f"{sign:<{width}}" for sign, width in zip(said, widths, strict=True))
        yield f"{case:<{first}}  {row}".rstrip()


def files() -> list[str]:
    """Return the test files in which a class inherits a suite."""
    folders = [ROOT / "tests" / name for name in ("providers", "journal", "dialects")]
    found = (file for folder in folders for file in sorted(folder.rglob("test_*.py")))
    return [str(file) for file in found if "Suite)" in file.read_text(encoding="utf-8")]


def main() -> int:
    """Run, print, and return 0 when every cell is filled and passed."""
    suites = Suites()
    ran = pytest.main([*files(), "-n0", "-q", "--no-header", "-p", "no:randomly"], plugins=[suites])
    for suite in sorted({cell.suite for cell in suites.cells}):
        print(*table(suites.cells, suite), "", sep="\n")
    wrong = list(problems(suites.cells, wanted()))
    print(*wrong, f"{len(suites.cells)} cells, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or ran not in {0, 1} or not suites.cells else 0


if __name__ == "__main__":
    sys.exit(main())
