"""Load what pytest is taught for this project."""

import gc

import pytest

from tests.patience import FACTOR

pytest_plugins = [
    "pytester",
    "tests.desktop_env.browser",
    "tests.desktop_env.firefox",
    "tests.desktop_env.fixtures",
    "tests.desktop_env.radicale",
    "tests.mac_env.fixtures",
    "tests.mail_env.dovecot",
    "tests.plugins.proofs",
    "tests.plugins.requirements",
    "tests.plugins.results",
    "tests.plugins.rings",
    "tests.plugins.scratch",
    "tests.plugins.seeds",
    "tests.plugins.skips",
    "tests.web_env.fixtures",
]


def pytest_configure(config: pytest.Config) -> None:
    """Give each test as much longer as `SAYSO_TEST_PATIENCE` says."""
    if FACTOR != 1 and config.option.timeout is None:
        config.option.timeout = float(str(config.getini("timeout"))) * FACTOR


def pytest_collection_finish() -> None:
    """Leave the many tests that there are out of every later look for garbage."""
    gc.collect()
    gc.freeze()
