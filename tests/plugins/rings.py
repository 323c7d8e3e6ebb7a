"""Divide the tests into rings: the first decides whether a change may land, `thorough` is run before a release.

`--ring` chooses `first` (the usual one), `thorough` or `all`. A test belongs to the first ring unless it, its class,
its module or its parameter is marked `thorough`. Whoever names a test by its node id (`file.py::test`) gets it,
whichever ring it is in.
"""

import pytest

RINGS = ("first", "thorough", "all")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--ring`."""
    parser.addoption("--ring", choices=RINGS, default="first", help="which tests: first (the usual one), thorough, all")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of the other ring."""
    ring: str = config.option.ring
    if ring == "all" or any("::" in argument for argument in config.args):
        return
    chosen, others = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        thorough = item.get_closest_marker("thorough") is not None
        (chosen if thorough == (ring == "thorough") else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = chosen
