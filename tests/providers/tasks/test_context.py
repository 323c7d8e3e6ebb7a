"""A model is told the person's tasks in their order, what is completed as read-only, and the habits."""

from typing import cast

import pytest

from sayso.core.conversation import Around
from sayso.core.encoding import Json
from sayso.core.ports import Ground
from sayso.providers.tasks import context
from sayso.providers.tasks.memory import build
from sayso.providers.tasks.store import Tasks
from sayso.testing.fakes import FakeClock, NumberedIds

AROUND = Around(())


def tasks(**world: Json) -> Tasks:
    return build(Ground({"world": world}, "/h", "/o", (), FakeClock(), NumberedIds())).reads


@pytest.mark.req("S2-37", "S2-41")
async def test_tasks_are_told_with_their_depth_and_completed_ones_as_read_only():
    known: list[Json] = [
        {"id": "a", "text": "Dinner"},
        {"id": "b", "text": "Buy wine", "parent_id": "a", "completed_at": "2026-03-13T10:00:00.000Z"},
    ]

    (piece,) = await context.tasks(tasks(tasks=known), AROUND)

    assert piece.data == [
        {"text": "Dinner", "level": 0, "completed": False},
        {"text": "Buy wine", "level": 1, "completed": True, "read_only": True},
    ]
    assert piece.ours


async def test_of_many_completed_tasks_those_completed_last_are_told_and_every_other_one():
    old: list[Json] = [
        {
            "id": f"t{n}",
            "text": f"Old {n}",
            "position": n,
            "completed_at": f"2026-03-{n // 24 + 1:02}T{n % 24:02}:00:00.000Z",
        }
        for n in range(60)
    ]
    new: list[Json] = [{"id": f"n{n}", "text": f"New {n}", "position": 100 + n} for n in range(60)]

    (piece,) = await context.tasks(tasks(tasks=[*old, *new]), AROUND)

    told = [row["text"] for row in cast("list[dict[str, str]]", piece.data)]
    assert told == [f"Old {n}" for n in range(10, 60)] + [f"New {n}" for n in range(60)]


@pytest.mark.req("S2-37")
async def test_habits_are_told_with_their_hours():
    (piece,) = await context.habits(tasks(habits=[{"id": "h", "text": "Meditate", "interval_hours": 24}]), AROUND)

    assert piece.data == [{"text": "Meditate", "repeatIntervalHours": 24, "last_done_at": None}]
