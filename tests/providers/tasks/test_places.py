"""A task gets the place it is meant for, or one beside it that is free."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.tasks.places import free_place


@pytest.mark.parametrize(
    ("wanted", "taken", "place"),
    [
        (2, [], 2),
        (2, [1, 3], 2),
        (2, [1, 2, 3], 1.5),
        (2, [-4, 1, 1.5, 2, 3], 1.75),
        (2, [2, 3], 1),
        (2, [2], 1),
        (1, [0.9999999999999999, 1, 2], 1.5),
        (1, [0.9999999999999999, 1], 2),
        (1, [0.9999999999999999, 1, 1.0000000000000002], 1),
        (1e300, [1e300], 1e300),
    ],
)
def test_a_place_that_is_taken_is_left_to_who_has_it(wanted: float, taken: list[float], place: float):
    assert free_place(wanted, taken) == place


@given(st.integers(-9, 9), st.lists(st.integers(-36, 36).map(lambda quarters: quarters / 4)))
def test_what_stands_before_and_after_stays_so(wanted: int, taken: list[float]):
    place = free_place(wanted, taken)

    assert place not in taken
    assert all((other < place) == (other < wanted) for other in taken if other != wanted)
