"""Add up what each test came to, write it to .build/tests.json, and say at the end how many ran and what was judged."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.plugins.proofs import PROPERTY as PROOF
from tests.plugins.proofs import READ_ONLY
from tests.plugins.requirements import PROPERTY

RESULTS = ".build/tests.json"
JUDGED = "judged"
"""The property of a test that has looked at the page: how many elements axe-core judged."""


@dataclass
class Result:
    """One test over its phases (set-up, call, tear-down), reported one after the other."""

    ids: list[str] = field(default_factory=list[str])
    outcomes: set[str] = field(default_factory=set[str])
    proof: str = READ_ONLY

    @property
    def outcome(self) -> str:
        """Return `failed` if any phase failed, `skipped` if any was skipped, else `passed`."""
        for worst in ("failed", "skipped"):
            if worst in self.outcomes:
                return worst
        return "passed"


class Results:
    """What the tests of this run came to."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._tests: dict[str, Result] = {}
        self._judged: dict[str, int] = {}
        self.began = False

    def pytest_sessionstart(self) -> None:
        """Forget the last run, so that nothing of it can be taken for this one's."""
        self.began = True
        self._file.unlink(missing_ok=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in one phase of one test."""
        result = self._tests.setdefault(report.nodeid, Result())
        result.outcomes.add(report.outcome)
        for name, value in report.user_properties:
            if name == PROPERTY and isinstance(value, list):
                result.ids = value
            elif name == PROOF:
                result.proof = str(value)
            elif name == JUDGED and isinstance(value, int):
                self._judged[report.nodeid] = value

    def pytest_sessionfinish(self) -> None:
        """Write down each test with its ids."""
        tests = {
            name: {"ids": test.ids, "outcome": test.outcome, "proof": test.proof}
            for name, test in sorted(self._tests.items())
        }
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_text(json.dumps(tests, indent=1) + "\n", encoding="utf-8")

    def closing_line(self) -> str:
        """Return how many tests ran and how many were skipped."""
        skipped = sum(test.outcome == "skipped" for test in self._tests.values())
        return f"ran {len(self._tests) - skipped}, skipped {skipped}"

    def judged_line(self) -> str:
        """Return how many elements of the page axe-core judged; empty if no test looked at it."""
        if not self._judged:
            return ""
        return f"axe-core judged {sum(self._judged.values()):,} elements of the page in {len(self._judged)} tests"


_RESULTS = pytest.StashKey[Results]()


def pytest_configure(config: pytest.Config) -> None:
    """Count in the process that gathers the reports, not in its workers."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.stash[_RESULTS] = Results(config.rootpath / RESULTS)
        config.pluginmanager.register(config.stash[_RESULTS])


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Say the closing line after everything that pytest itself has to say."""
    results = config.stash.get(_RESULTS, None)
    if results and results.began:
        lines = (results.judged_line(), results.closing_line())
        sys.stdout.write("".join(f"{line}\n" for line in lines if line))
