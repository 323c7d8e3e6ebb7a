"""Draw one seed for all property tests of a run and print it; `--hypothesis-seed=N` repeats that run."""

import os

import pytest
from hypothesis import HealthCheck, settings

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


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set the seed before Hypothesis reads it, here and, through the options, in every worker."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(int.from_bytes(os.urandom(4)))


def pytest_report_header(config: pytest.Config) -> str:
    """Say the seed."""
    return f"hypothesis seed: {config.option.hypothesis_seed}"
