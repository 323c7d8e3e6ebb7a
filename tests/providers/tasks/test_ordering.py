"""A task gets the place it is meant for, or one beside it that is free."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.memory import memory_backend, parse_world
from sayso.providers.tasks.ordering import free_place
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial


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


WORLD = {
    "tasks": [
        {"id": "a", "text": "Apples", "position": 1},
        {"id": "b", "text": "Bread", "position": 2},
        {"id": "o", "text": "Old", "position": 3, "completed_at": "2026-03-01T10:00:00Z"},
        {"id": "u", "text": "Beneath", "parent_id": "o", "position": 1},
    ]
}


def trial() -> Trial:
    return Trial(TASKS, memory_backend(FakeClock(), NumberedIds(), parse_world(WORLD)))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"target": "Apples", "where": "top", "other": "Bread"}, "arguments.unknown"),
        ({"target": "Apples", "where": "below"}, "arguments.missing"),
        ({"target": "Apples", "where": "below", "other": "Old"}, "target.not_found"),
        ({"target": "Old", "where": "below", "other": "Apples"}, "target.not_found"),
        ({"target": "Apples", "where": "before", "other": "Beneath"}, "target.not_found"),
        ({"target": "Apples", "where": "after", "other": "Apples"}, "target.itself"),
    ],
)
async def test_a_place_that_is_none_is_refused(arguments: dict[str, object], code: str):
    with pytest.raises(ProposalError) as refused:
        await trial().plan("task.move", **arguments)

    assert refused.value.code == code


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "Apples", "where": "before", "other": "Bread"},
        {"target": "Bread", "where": "after", "other": "Apples"},
    ],
)
async def test_what_stands_there_already_is_left_there(arguments: dict[str, object]):
    plan = await trial().plan("task.move", **arguments)

    assert plan.changes == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"texts": ["A", "B"], "levels": [0]},
        {"texts": ["A"], "levels": [1]},
        {"texts": ["A", "B", "C"], "levels": [0, 1, 3]},
        {"texts": ["A", "  "], "levels": [0, 0]},
        {"texts": ["A"], "levels": [0], "completed": ["yesterday"]},
        {"texts": ["A"], "levels": [0], "completed": ["0001-01-01T00:00:00+14:00"]},
        {"texts": ["A"], "levels": [0], "completed": ["9999-12-31T23:59:59-14:00"]},
        {"texts": ["A"], "levels": [0], "completed": ["2026-03-01T10:00:00"]},
    ],
)
async def test_a_list_that_is_none_is_refused(arguments: dict[str, object]):
    with pytest.raises(ProposalError) as refused:
        await trial().plan("task.add_all", **arguments)

    assert refused.value.code == "arguments.type"


async def test_a_list_is_shown_as_it_would_stand():
    plan = await trial().plan("task.add_all", texts=["Trip", "Pack"], levels=[0, 1])

    assert plan.summary == "Add 2 tasks, from “Trip” to “Pack”"
    assert plan.preview == "Trip\n  Pack"
