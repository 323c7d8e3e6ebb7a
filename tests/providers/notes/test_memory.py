"""Notes in memory behave as any other notes backend."""

import json

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Backend, Ground
from sayso.providers.notes.memory import build, memory_backend, parse_world
from sayso.providers.notes.store import Note
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.notes import NotesSuite


class TestMemory(NotesSuite):
    """The suite on notes in memory."""

    def make(self) -> Backend:
        return memory_backend(NumberedIds(), parse_world({"folders": ["Notes", "Work"]}), lasting=True)


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_folders_and_notes():
    world = {"notes": [{"id": "a", "title": "List", "body": "Milk", "folder": "Home"}]}

    made = build(ground(kind="memory", world=world))

    assert await made.reads.folders() == ("Notes", "Home")
    assert await made.reads.note("a") == Note("a", "List", "Milk", "Home")


@pytest.mark.parametrize("world", ['{"notes": [{}]}', '{"note": []}', '{"folders": 1}'])
def test_a_world_that_is_none_is_a_matter_of_settings(world: str):
    with pytest.raises(SetupError, match="notes"):
        build(ground(world=json.loads(world)))
