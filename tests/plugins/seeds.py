"""Draw one seed for all property tests of a run and print it; `--hypothesis-seed=N` repeats that run."""

import os
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings

SEED = "hypothesis_seed"

# Two tests at once on two cores say nothing about the time of one. The parent is named, since Hypothesis would
# otherwise take its CI profile there, which draws the same examples for ever.
settings.register_profile(
    "sayso",
    parent=settings.get_profile("default"),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sayso")


class WorkerNode(Protocol):
    """A process that pytest-xdist hands tests to, as far as it matters here."""

    config: pytest.Config
    workerinput: dict[str, str]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set the seed before Hypothesis reads it; a worker takes the one it is handed."""
    if config.option.hypothesis_seed is None:
        handed: dict[str, str] = getattr(config, "workerinput", {})
        config.option.hypothesis_seed = handed.get(SEED) or str(int.from_bytes(os.urandom(4)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerNode) -> None:
    """Hand the seed to a worker."""
    node.workerinput[SEED] = node.config.option.hypothesis_seed


def pytest_report_header(config: pytest.Config) -> str:
    """Say the seed."""
    return f"hypothesis seed: {config.option.hypothesis_seed}"
