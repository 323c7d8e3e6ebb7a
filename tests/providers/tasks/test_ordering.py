"""Tasks are moved, and added as a list, in their order."""

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.memory import memory_backend, parse_world
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from tests.fails import fails

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
    with fails(ProposalError, code):
        await trial().plan("task.move", **arguments)


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
    with fails(ProposalError, "arguments.type"):
        await trial().plan("task.add_all", **arguments)


async def test_a_list_is_shown_as_it_would_stand():
    plan = await trial().plan("task.add_all", texts=["Trip", "Pack"], levels=[0, 1])

    assert plan.summary == "Add 2 tasks, from “Trip” to “Pack”"
    assert plan.preview == "Trip\n  Pack"
