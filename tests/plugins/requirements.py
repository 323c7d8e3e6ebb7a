"""Read the `req` marker of each test while it is collected, and refuse ids that nobody wrote or no test is marked with.

An id may be marked in the code of a test or in a file of cases, so only a collection of all tests says which have none:
`make check` does one, with `--collect-only`.
"""

from collections import Counter
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

MOST_IDS_PER_TEST = 5
MOST_PIECES = 20
LISTS = ("tests/requirements.txt", "tests/other_ids.txt")
PROPERTY = "req"

_KNOWN = pytest.StashKey[frozenset[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Read the known ids once."""
    config.stash[_KNOWN] = known_ids(config.rootpath)


def known_ids(root: Path) -> frozenset[str]:
    """Return every id that a test may be marked with."""
    return frozenset(line for name in LISTS for line in (root / name).read_text(encoding="utf-8").split())


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Note the ids beside each test, so that they travel with its reports (also from another process)."""
    report = yield
    faults: list[str] = []
    for item in report.result or ():
        if isinstance(item, pytest.Item):
            ids = ids_of(item)
            item.user_properties.append((PROPERTY, ids))
            faults += faults_in(item, ids, collector.config.stash[_KNOWN])
    faults += faults_of_data(report.result or ())
    if faults:
        report.outcome = "failed"
        report.longrepr = "\n".join(dict.fromkeys(faults))
        report.result = []
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Raise `UsageError` if all tests were collected, of each ring, and an id has none."""
    if config.option.collectonly and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        without = config.stash[_KNOWN] - {name for item in items for name in ids_of(item)}
        if without:
            raise pytest.UsageError(f"no test is marked with {', '.join(sorted(without))}")


def ids_of(item: pytest.Item) -> list[str]:
    """Return the ids a test is marked with."""
    return sorted({str(name) for marker in item.iter_markers("req") for name in marker.args})


def faults_of_data(found: Iterable[object]) -> list[str]:
    """Return which tests have one id on many pieces of data: it belongs to the few that prove it."""
    pieces = Counter[tuple[str, str]]()
    for item in found:
        callspec = getattr(item, "callspec", None)
        if isinstance(item, pytest.Function) and callspec:
            ids = {str(name) for mark in callspec.marks if mark.name == "req" for name in mark.args}
            pieces.update((item.nodeid.partition("[")[0], name) for name in ids)
    return [
        f"{where}: {name} is on {count} pieces of its data; mark the few that prove it"
        for (where, name), count in pieces.items()
        if count > MOST_PIECES
    ]


def faults_in(item: pytest.Item, ids: list[str], known: frozenset[str]) -> list[str]:
    """Return what is wrong with the ids of one test."""
    where = item.nodeid.partition("[")[0]
    wide = [node.name for node, _ in item.iter_markers_with_node("req") if node is not item]
    faults = [f"{name}: a requirement is marked on a test, not on what holds many" for name in dict.fromkeys(wide)]
    faults += [f"{where}: nothing is called {name} in {' or '.join(LISTS)}" for name in ids if name not in known]
    if len(ids) > MOST_IDS_PER_TEST:
        faults.append(f"{where}: {len(ids)} ids; a test that proves more than {MOST_IDS_PER_TEST} proves none of them")
    return faults
