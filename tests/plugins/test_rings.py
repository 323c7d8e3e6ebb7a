"""`--ring` chooses the tests of one ring; a test that is named by its id runs in any."""

import pytest

from tests.plugins.conftest import Runner

BOTH = """
    import pytest

    def test_quick(): pass

    @pytest.mark.thorough
    def test_sweep(): pass

    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.thorough)])
    def test_values(n): pass

    @pytest.mark.thorough
    class TestSlow:
        def test_it(self): pass
"""


@pytest.mark.parametrize(
    ("words", "count"), [((), 2), (("--ring", "first"), 2), (("--ring", "thorough"), 3), (("--ring", "all"), 5)]
)
def test_a_ring_holds_its_own_tests_and_no_others(run: Runner, words: tuple[str, ...], count: int):
    ran = run(BOTH, *words, ci=True)

    assert (ran.code, ran.last_line) == (0, f"ran {count}, skipped 0")


def test_a_test_that_is_named_runs_whichever_ring_it_is_in(run: Runner):
    ran = run(BOTH, "test_a_test_that_is_named_runs_whichever_ring_it_is_in.py::test_sweep")

    assert (ran.code, ran.last_line) == (0, "ran 1, skipped 0")
