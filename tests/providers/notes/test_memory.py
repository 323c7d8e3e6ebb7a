"""Notes in memory, and the operations on them."""

import json

import pytest

from sayso.core.errors import ProposalError, SetupError
from sayso.core.ports import Backend, BackendContext
from sayso.providers.notes import NOTES
from sayso.providers.notes.memory import NotesWorld, build, memory_backend, parse_world
from sayso.providers.notes.store import Note
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.notes import NotesSuite
from tests.fails import fails


class TestMemory(NotesSuite):
    """The suite on notes in memory."""

    def make(self) -> Backend:
        return memory_backend(NumberedIds(), parse_world({"folders": ["Notes", "Work"]}), lasting=True)


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_folders_and_notes():
    world = {"notes": [{"id": "a", "title": "List", "body": "Milk", "folder": "Home"}]}

    made = build(ground(kind="memory", world=world))

    assert await made.reads.folders() == ("Notes", "Home")
    assert await made.reads.note("a") == Note("a", "List", "Milk", "Home")


@pytest.mark.parametrize("world", ['{"notes": [{}]}', '{"note": []}', '{"folders": 1}'])
def test_a_world_that_is_none_is_a_matter_of_settings(world: str):
    with pytest.raises(SetupError, match="notes"):
        build(ground(world=json.loads(world)))


def trial() -> Trial:
    return Trial(NOTES, memory_backend(NumberedIds(), NotesWorld(("Notes", "Work"))))


async def test_a_folder_in_another_case_is_the_one_that_is_there():
    plan = await trial().plan("note.create", title="Plan", folder="work")

    assert plan.summary == "Create the note “Plan” in Work"
    assert plan.said_when_done == "Created the note “Plan” in Work"


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("note.create", {"title": "  "}), ("note.append", {"target": "x", "text": ""})],
)
async def test_what_is_empty_is_no_text(operation: str, arguments: dict[str, str]):
    with fails(ProposalError, "arguments.type"):
        await trial().plan(operation, **arguments)


async def test_nothing_may_be_found():
    answer = await trial().answer("note.find", text="milk")

    assert answer.text == "No note holds “milk”."
    assert answer.data == {"notes": [], "text": ""}
