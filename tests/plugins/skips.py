"""Skip a test whose programs are missing, and let nothing be skipped in CI but what only macOS can run."""

import os
import shutil
import sys
from collections.abc import Generator

import pytest


def _in_ci() -> bool:
    return os.environ.get("CI", "") not in {"", "0", "false"}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip before anything is set up, with a reason that says what to do."""
    if item.get_closest_marker("macos") and sys.platform != "darwin":
        pytest.skip("runs on macOS only")
    commands = {str(command) for marker in item.iter_markers("needs") for command in marker.args}
    missing = sorted(command for command in commands if shutil.which(command) is None)
    if missing:
        pytest.skip(f"needs {', '.join(missing)}; tools/system-packages installs it")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip, and an expected failure, into a failure in CI."""
    report = yield
    for_macos = item.get_closest_marker("macos") and sys.platform != "darwin"
    if report.skipped and _in_ci() and not for_macos:
        why = getattr(report, "wasxfail", None) or _reason(report)
        vars(report).pop("wasxfail", None)
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, which allows that for macOS parts only: {why}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn a module that skips itself into a failure in CI."""
    report = yield
    if report.skipped and _in_ci():
        report.outcome = "failed"
        report.longrepr = f"a whole file skipped in CI: {_reason(report)}"
    return report


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    match report.longrepr:
        case (_, _, str() as reason):
            return reason
        case other:
            return str(other)
