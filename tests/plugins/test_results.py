"""A run closes with one line, and what it wrote down is about itself."""

import pytest

from tests.plugins.conftest import Runner

MIXED = """
    import pytest

    def test_good(): pass

    def test_bad(): raise AssertionError

    def test_idle(): pytest.skip("not today")

    @pytest.fixture
    def spoiled():
        yield
        raise AssertionError

    def test_spoiled_afterwards(spoiled): pass
"""


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n2", marks=pytest.mark.thorough)])
def test_the_last_line_says_how_many_ran(run: Runner, workers: str):
    ran = run(MIXED, workers)

    assert ran.last_line == "ran 3, skipped 1"
    assert ran.outcome("test_bad") == "failed"
    assert ran.outcome("test_idle") == "skipped"
    assert ran.outcome("test_spoiled_afterwards") == "failed"


def test_a_test_that_takes_its_process_down_has_failed_with_its_ids(run: Runner):
    ran = run(
        """
        import os, pytest

        @pytest.mark.req("S0-01")
        def test_it(): os._exit(3)
        """,
        "-n1",
    )

    assert list(ran.tests.values()) == [{"ids": ["S0-01"], "outcome": "failed"}]


def test_nothing_is_left_of_an_earlier_run(run: Runner, pytester: pytest.Pytester):
    run("def test_it(): pass")
    stale = pytester.path / ".build" / "tests.json"
    stale.write_text('{"old": {"ids": ["S0-01"], "outcome": "passed"}}')

    pytester.makepyfile("import nothing_of_this_name")
    pytester.runpytest_subprocess("-p", "tests.plugins.requirements", "-p", "tests.plugins.results")

    assert "S0-01" not in stale.read_text()
