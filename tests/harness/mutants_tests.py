"""The pytest plugin of the mutants run: which tests reach which lines, and stop at the first failure."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import coverage
import msgspec
import pytest

Reached = dict[str, dict[int, frozenset[str]]]
"""The tests that reach a line, by file and line."""


@dataclass
class Known:
    """What a run of all tests on the unchanged code showed."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """How long each test took that passed."""
    places: dict[str, str] = field(default_factory=dict[str, str])
    """The file of each test; its name does not always tell."""
    reached: Reached = field(default_factory=dict[str, dict[int, frozenset[str]]])
    failed: list[str] = field(default_factory=list[str])

    def add(self, other: "Known") -> None:
        """Take in what another process found out."""
        self.seconds.update(other.seconds)
        self.places.update(other.places)
        self.failed += other.failed
        for file, lines in other.reached.items():
            mine = self.reached.setdefault(file, {})
            for line, tests in lines.items():
                mine[line] = mine.get(line, frozenset()) | tests


class Judge:
    """Runs tests of a session that is collected, and knows how each ended."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in one phase of one test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)
        if report.skipped:
            self.skipped.add(report.nodeid)

    def any_fails(self, items: Sequence[pytest.Item]) -> bool:
        """Run these tests in order until one fails."""
        for item, following in zip_longest(items, items[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return True
        return False


class Once:
    """Works on a collected session instead of running it, and ends the process."""

    def __init__(self, work: Callable[[pytest.Session, Judge], None]) -> None:
        self._work = work
        self._judge = Judge()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Settle what would shrink, remember or write for others."""
        settle(config)
        config.pluginmanager.register(self._judge)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do the work."""
        self._work(session, self._judge)
        return True


class FirstFailure:
    """Runs only these tests, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        # What a case is called may hang on what is changed; its function is not.
        self._order = {name: place for place, name in reversed(list(enumerate(map(function_of, tests))))}

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Settle what would shrink, remember or write for others."""
        settle(config)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen ones."""
        kept = [item for item in items if function_of(item.nodeid) in self._order]
        items[:] = sorted(kept, key=lambda item: self._order[function_of(item.nodeid)])


def function_of(test: str) -> str:
    """Return a test without the case that it is given."""
    return test.partition("[")[0]


def settle(config: pytest.Config) -> None:
    """Write no results for other commands to read, and let no property test search for the smallest example."""
    hypothesis = sys.modules["hypothesis"]
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", phases=phases, database=None, parent=hypothesis.settings())
    hypothesis.settings.load_profile("mutants")
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "Results":
            config.pluginmanager.unregister(plugin)


def measure(items: Sequence[pytest.Item], judge: Judge, files: Iterable[str], root: Path) -> Known:
    """Run the tests on the unchanged code and note what each of them reaches."""
    paths = {str(root / file): file for file in files}
    cover = coverage.Coverage(data_file=None, config_file=False, include=list(paths))
    # A file of tables alone is reached when it is imported, and by no test.
    cover.set_option("run:disable_warnings", ["no-data-collected"])
    cover.start()
    for item, following in zip_longest(items, items[1:]):
        cover.switch_context(item.nodeid)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    cover.stop()
    data = cover.get_data()
    sound = set(judge.seconds) - judge.failed - judge.skipped
    reached: Reached = {}
    for path in set(data.measured_files()) & paths.keys():
        lines = data.contexts_by_lineno(path)
        reached[paths[path]] = {int(line): frozenset(sound.intersection(tests)) for line, tests in lines.items()}
    seconds = {name: took for name, took in judge.seconds.items() if name in sound}
    places = {item.nodeid: str(item.path) for item in items}
    return Known(seconds, places, reached, sorted(judge.failed))


def write_known(known: Known, file: Path) -> bytes:
    """Write down what was found, for the process that asked."""
    file.write_bytes(msgspec.msgpack.encode(known))
    return b"S"


def read_known(file: Path) -> Known:
    """Read what a process that this one started wrote down."""
    known = msgspec.msgpack.decode(file.read_bytes(), type=Known)
    file.unlink()
    return known
