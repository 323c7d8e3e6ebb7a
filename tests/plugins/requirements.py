"""Read the `req` marker of each test while it is collected, and refuse ids that nobody wrote."""

from collections.abc import Generator
from pathlib import Path

import pytest

MOST_IDS_PER_TEST = 5
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
    if faults:
        report.outcome = "failed"
        report.longrepr = "\n".join(dict.fromkeys(faults))
        report.result = []
    return report


def ids_of(item: pytest.Item) -> list[str]:
    """Return the ids a test is marked with, its class and module included."""
    return sorted({str(name) for marker in item.iter_markers("req") for name in marker.args})


def faults_in(item: pytest.Item, ids: list[str], known: frozenset[str]) -> list[str]:
    """Return what is wrong with the ids of one test."""
    where = item.nodeid.partition("[")[0]
    faults = [f"{where}: nothing is called {name} in {' or '.join(LISTS)}" for name in ids if name not in known]
    if len(ids) > MOST_IDS_PER_TEST:
        faults.append(f"{where}: {len(ids)} ids; a test that proves more than {MOST_IDS_PER_TEST} proves none of them")
    return faults
