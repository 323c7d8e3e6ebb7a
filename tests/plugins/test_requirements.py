"""A test is marked with up to five ids that exist, and its reports carry them."""

import pytest

from tests.plugins.conftest import Runner

WORKERS = pytest.mark.parametrize("workers", ["-n0", "-n2"])
REFUSED = pytest.mark.parametrize("workers", ["-n0", pytest.param("-n2", marks=pytest.mark.thorough)])
"""What is refused is refused before a test runs, in a worker by the very same hook."""


@WORKERS
def test_ids_travel_with_the_results(run: Runner, workers: str):
    ran = run(
        """
        import pytest

        @pytest.mark.req("S0-01", "T-01")
        def test_good(): pass

        @pytest.mark.req("S0-02")
        def test_bad(): raise AssertionError
        """,
        workers,
    )

    assert list(ran.tests.values()) == [
        {"ids": ["S0-02"], "outcome": "failed"},
        {"ids": ["S0-01", "T-01"], "outcome": "passed"},
    ]
    assert ran.last_line == "ran 2, skipped 0"


@REFUSED
def test_more_than_five_ids_on_a_test_are_an_error(run: Runner, workers: str):
    ran = run(
        """
        import pytest

        @pytest.mark.req("S0-01", "S0-02", "S0-03")
        class TestIt:
            @pytest.mark.req("S0-04", "S0-05", "S0-06")
            def test_all(self): pass
        """,
        workers,
    )

    assert ran.code != 0
    assert "test_all: 6 ids" in ran.out
    assert ran.tests == {}


@REFUSED
def test_an_id_that_nobody_wrote_is_an_error(run: Runner, workers: str):
    ran = run(
        """
        import pytest

        @pytest.mark.req("S9-99")
        def test_it(): pass
        """,
        workers,
    )

    assert ran.code != 0
    assert "test_it: nothing is called S9-99" in ran.out
    assert ran.tests == {}


def test_each_case_of_a_test_counts_for_itself(run: Runner):
    ran = run(
        """
        import pytest

        @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.req("S0-01")), 2])
        def test_it(n): assert n == 1
        """
    )

    assert ran.tests["test_each_case_of_a_test_counts_for_itself.py::test_it[1]"]["ids"] == ["S0-01"]
    assert ran.tests["test_each_case_of_a_test_counts_for_itself.py::test_it[2]"]["ids"] == []
