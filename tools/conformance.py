"""Run the shipped suites on every backend there is, and print what each backend came to in each case."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple, cast

import pytest

from sayso import testing
from sayso.assembly.parts import DIALECTS, PROVIDERS

ROOT = Path(__file__).parent.parent
SHIPPED = "sayso.testing."
SIGNS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}
BESIDE = {
    "DialectSuite": frozenset(DIALECTS),
    "JournalSuite": frozenset({"sqlite"}),
    "SessionsSuite": frozenset({"sessions"}),
    "TriggerStatesSuite": frozenset({"triggers"}),
    "SendingSuite": frozenset(next(part.backends for part in PROVIDERS if part.store == "mail")),
}
"""The suites that no store has its name from, and the kinds that each of them must hold."""
WORLDS = {
    ("DesktopSuite", "linux"): ("X11", "Wayland", "PipeWire"),
    ("FilesSuite", "local"): ("", "Walked"),
}
"""Backends that are held in several worlds: the kernel with and without openat2, each kind of session."""
NOT_HELD = {
    ("AppsSuite", "wayland"): "says only why windows cannot be had there, and what to do",
    ("McpSuite", "memory"): "it holds the answers that a test gives it, and no server",
    (
        "McpSuite",
        "servers",
    ): "tests/providers/mcp holds it against servers of our own that misbehave, and published ones",
    ("TalkSuite", "here"): "answers questions alone, and changes nothing",
    ("TalkSuite", "memory"): "there is no suite yet: nothing real serves this store",
    ("WebSuite", "http"): "tests/providers/web/test_client.py holds it against servers that answer every odd thing",
    ("WebSuite", "memory"): "it sends nothing, and answers what the settings say",
}
"""Backends that do nothing, so that no suite could hold them, with the reason."""
BROWSERS = {"chromium": "cdp", "firefox": "bidi"}
"""The kind that speaks with a browser, by the name under which the tests run on it."""
INHERITS = re.compile(r"^class \w+\(.*Suite\b", re.MULTILINE)
WORST = ("failed", "skipped", "passed")
EMPTY = "-"
CELL = "cell of the table"
"""The name under which the report of a test tells its cell."""


class Cell(NamedTuple):
    """One backend in one case of a suite."""

    suite: str
    backend: str
    case: str


Cells = Mapping[Cell, str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the cases of suites only, each with its cell; this module is a plugin of every process that runs tests."""
    chosen = [(item, cell) for item in items if (cell := cell_of(item)) is not None]
    for item, cell in chosen:
        item.user_properties.append((CELL, list(cell)))
    items[:] = [item for item, _ in chosen]


class Suites:
    """Remembers what the tests that a class inherits from a suite came to."""

    def __init__(self) -> None:
        self.cells: dict[Cell, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the worst of what the phases and the parameters of a case came to."""
        cell = Cell(*cast("list[str]", dict(report.user_properties)[CELL]))
        if report.when == "call" or report.outcome != "passed":
            self.cells[cell] = min(self.cells.get(cell, "passed"), report.outcome, key=WORST.index)


def cell_of(item: pytest.Item) -> Cell | None:
    """Return what a test is a case of; None for one that no suite brought along."""
    if not isinstance(item, pytest.Function) or item.cls is None:
        return None
    for base in item.cls.__mro__:
        if base.__module__.startswith(SHIPPED) and item.originalname in vars(base):
            browser = next((kind for name, kind in BROWSERS.items() if item.name.endswith(f"[{name}]")), None)
            return Cell(
                base.__name__, browser or backend_of(base.__name__, item.path, item.cls.__name__), item.originalname
            )
    return None


def backend_of(suite: str, file: Path, called: str) -> str:
    """Return the backend that a class tests: the kind it is called after, else the folder its file is in."""
    said = called.removeprefix("Test")
    for kind in kinds().get(suite, ()):
        if said.lower() == kind.replace("_", ""):
            return kind
    parts = file.relative_to(ROOT / "tests").parts
    places = parts[2:-1] if parts[0] == "providers" else parts[1:-1]
    kind = places[0] if places else file.stem.removeprefix("test_")
    return kind if said.lower() == kind.replace("_", "") else f"{kind}, {said}"


def suites() -> dict[str, tuple[str, ...]]:
    """Return every suite that is shipped, with its cases."""
    found: dict[str, tuple[str, ...]] = {}
    for module in iter_modules(testing.__path__, SHIPPED):
        for name, value in vars(import_module(module.name)).items():
            if name.endswith("Suite") and isinstance(value, type) and value.__module__ == module.name:
                found[name] = tuple(case for case in vars(value) if case.startswith("test_"))
    return found


@cache
def kinds() -> Mapping[str, frozenset[str]]:
    """Return for each suite the kinds of backend that there are."""
    stores = {f"{part.settings_section.capitalize()}Suite": frozenset(part.backends) for part in PROVIDERS}
    return {**stores, **BESIDE}


def wanted() -> dict[str, list[str]]:
    """Return for each suite the columns that there must be: every kind of backend, in each of its worlds."""
    return {
        suite: [column for kind in sorted(names) if (suite, kind) not in NOT_HELD for column in columns(suite, kind)]
        for suite, names in kinds().items()
    }


def columns(suite: str, kind: str) -> Iterator[str]:
    """Yield the columns of one kind of backend."""
    for world in WORLDS.get((suite, kind), ("",)):
        yield f"{kind}, {world}" if world else kind


def problems(cells: Cells, columns: Mapping[str, list[str]], cases: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield what is missing, empty, skipped or failed."""
    for suite in sorted({*columns, *cases, *(cell.suite for cell in cells)}):
        if cases.get(suite) and suite in columns:
            yield from holes(cells, suite, columns[suite], cases[suite])
        elif cases.get(suite):
            yield f"{suite}: it is not said which backends it must hold"
        elif columns.get(suite):
            yield f"{suite}: there is no such suite, and it would hold {', '.join(columns[suite])}"


def holes(cells: Cells, suite: str, columns: list[str], cases: tuple[str, ...]) -> Iterator[str]:
    """Yield what is missing, empty, skipped or failed in one suite."""
    there = {cell.backend for cell in cells if cell.suite == suite}
    yield from (f"{suite}: no column for “{missing}”" for missing in columns if missing not in there)
    for backend in sorted(there):
        for case in cases:
            came_to = cells.get(Cell(suite, backend, case), "empty")
            if came_to != "passed":
                yield f"{suite}: {backend}: {case}: {came_to}"


def table(cells: Cells, suite: str, columns: list[str], cases: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of one suite's table: a row for each of its cases, a column for each backend that there is."""
    backends = sorted({*columns, *(cell.backend for cell in cells if cell.suite == suite)})
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
    return [str(file) for file in found if INHERITS.search(file.read_text(encoding="utf-8"))]


def main() -> int:
    """Run, print, and return 0 when every cell that there must be is filled and passed."""
    ran_here = Suites()
    workers = ("-n", os.environ.get("WORKERS", "2"), "--dist", "loadscope")
    options = ("-q", "--no-header", "-p", "no:randomly", "-p", "tools.conformance", "--ring", "all")
    ran = pytest.main([*files(), *workers, *options], plugins=[ran_here])
    there, must = suites(), wanted()
    for suite in sorted(there):
        print(*table(ran_here.cells, suite, must.get(suite, []), there[suite]), "", sep="\n")
    print(*(f"not held: {suite}: {kind}: {why}" for (suite, kind), why in NOT_HELD.items()), sep="\n")
    wrong = list(problems(ran_here.cells, must, there))
    print(*wrong, f"{len(ran_here.cells)} cells, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or ran not in {0, 1} or not ran_here.cells else 0


if __name__ == "__main__":
    sys.exit(main())
