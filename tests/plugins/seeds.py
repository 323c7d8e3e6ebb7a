"""Set the seeds of a run: the same ones for the first ring, new ones for the others, printed to repeat the run.

What decides whether a change may land must not depend on what was drawn; `make thorough` draws anew each time.
`--hypothesis-seed=N --randomly-seed=N` sets both.
"""

import os
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings

SEED = "hypothesis_seed"
FIRST_RING = "1"
"""The seed of the first ring, for examples and for order."""

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
        first = getattr(config.option, "ring", "first") == "first"
        drawn = FIRST_RING if first else str(int.from_bytes(os.urandom(4)))
        config.option.hypothesis_seed = handed.get(SEED) or drawn
        if first and getattr(config.option, "randomly_seed", None) == "default":
            config.option.randomly_seed = int(FIRST_RING)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerNode) -> None:
    """Hand the seed to a worker."""
    node.workerinput[SEED] = node.config.option.hypothesis_seed


def pytest_report_header(config: pytest.Config) -> str:
    """Say the seed."""
    return f"hypothesis seed: {config.option.hypothesis_seed}"
