"""The six outcomes that every operation on a desktop has: which cases show them, and where one cannot be, why.

A file of `tests/cases/outcomes` has, by operation, what is said and what comes of it for `success`, `nothing` to do,
a `missing` target and an `ambiguous` one; a text in place of a case is the reason why there is none. A `dead` service
and one that hangs (`timeout`) are tried with what succeeds otherwise.
"""

import json
import os
import signal
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest

import sayso
from sayso.runtime.results import Report
from tests.journeys.ground import yes

FOLDER = Path(__file__).parent.parent / "cases" / "outcomes"
OUTCOMES = ("success", "nothing", "missing", "ambiguous")
SAME = {"firefox": "browser", "sway": "apps"}
"""What else serves the operations of a file, and comes to the same."""
NOWHERE = "http://127.0.0.1:9"
Found = dict[str, tuple[str, str]]
"""State and sentence by operation."""


class Case(NamedTuple):
    """What is said, and what comes of it."""

    operation: str
    outcome: str
    line: str
    says: str
    state: str = "done"
    first: str = ""
    """What is said before it."""
    page: str = ""
    """What is there instead of the usual."""

    def must_be_told_as_it_is(self, report: Report) -> None:
        """Hold the report to what the case says."""
        operation, state, sentence = told(report)
        assert (operation, state) == (self.operation, self.state), sentence
        assert self.says in sentence


def tried() -> list[str]:
    """Return what is tried: each provider, and what else serves its operations."""
    return sorted([*(file.stem for file in FOLDER.glob("*.json")), *SAME])


def table(name: str) -> dict[str, dict[str, Any]]:
    """Return the file of what is tried under this name."""
    return json.loads((FOLDER / f"{SAME.get(name, name)}.json").read_text(encoding="utf-8"))


def cases(name: str) -> list[Any]:
    """Return all cases of a provider as parameters."""
    return [pytest.param(case, id=f"{case.operation}-{case.outcome}") for case in _cases(name)]


def lines(name: str) -> dict[str, str]:
    """Return by operation what succeeds."""
    return {case.operation: case.line for case in _cases(name) if case.outcome == "success"}


def _cases(name: str) -> Iterator[Case]:
    for operation, row in table(name).items():
        for outcome in OUTCOMES:
            if isinstance(row[outcome], dict):
                yield Case(operation, outcome, **row[outcome])


def incomplete(name: str, operations: list[str]) -> list[str]:
    """Return what a file lacks: an operation, an outcome, or a reason; success has no reason to be missing."""
    rows = table(name)
    lacks = [one for one in operations if one not in rows] + [one for one in rows if one not in operations]
    for operation, row in rows.items():
        lacks += [f"{operation} {outcome}" for outcome in OUTCOMES if not row.get(outcome)]
        lacks += [f"{operation} success"] if not isinstance(row.get("success"), dict) else []
    return lacks


def told(report: Report) -> tuple[str, str, str]:
    """Return operation, state and sentence of the only action of a run."""
    (outcome,) = report.outcomes
    marks = outcome.record.marks
    return str(outcome.record.operation), str(marks.state), str(marks.message or marks.error)


async def run_all(
    name: str,
    make_home: Callable[[str], str],
    environment: Mapping[str, str] | None = None,
    *,
    first: str = "",
    then: Callable[[], object] = lambda: None,
) -> Found:
    """Run what succeeds of every operation, each in a home of its own; return what each came to.

    What is said `first` succeeds in all homes; `then` something happens, before any operation is tried.
    """
    found: Found = {}
    wanted = lines(name)
    ready: list[str] = []
    happened = anyio.Event()

    async def run(operation: str, line: str) -> None:
        async with sayso.open_home(make_home(operation), environ=environment) as home:
            assert not first or told(await home.run(first))[1] == "done"
            ready.append(operation)
            if len(ready) == len(wanted):
                then()
                happened.set()
            await happened.wait()
            _, state, sentence = told(await home.run(line.replace("{site}", NOWHERE), approver=yes()))
            found[operation] = (state, sentence)

    async with anyio.create_task_group() as tasks:
        for operation, line in wanted.items():
            tasks.start_soon(run, operation, line)
    return found


def must_all_have_failed(found: Found, operations: Collection[str], says: str) -> None:
    """Hold that every operation was tried and failed with these words."""
    assert set(found) == set(operations)
    assert {state for state, _ in found.values()} == {"failed"}, found
    assert all(says in sentence for _, sentence in found.values()), found


@contextmanager
def stopped(*processes: int) -> Generator[None]:
    """Let processes hang."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)
