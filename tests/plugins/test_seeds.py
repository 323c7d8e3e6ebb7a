"""One seed is printed, and giving it again draws the same examples."""

import re

import pytest

from tests.plugins.conftest import Runner

DRAWS = """
    from hypothesis import given, settings, strategies as some

    @settings(max_examples=5)
    @given(some.integers())
    def test_it(number): print("drew", number)
"""


@pytest.mark.parametrize(("workers", "ci"), [("-n0", False), ("-n1", True)])
def test_the_seed_that_was_printed_repeats_the_run(run: Runner, workers: str, ci: bool):
    first = run(DRAWS, "-rP", workers, ci=ci)
    (seed,) = re.findall(r"hypothesis seed: (\d+)", first.out)

    again = run(DRAWS, "-rP", "-n0", f"--hypothesis-seed={seed}", ci=ci)
    other = run(DRAWS, "-rP", "-n0", f"--hypothesis-seed={int(seed) + 1}", ci=ci)

    assert drawn(first.out) == drawn(again.out) != drawn(other.out)


def drawn(out: str) -> list[str]:
    found = re.findall(r"drew .*", out)
    assert found
    return found
