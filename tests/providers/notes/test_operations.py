"""Operations on notes take what makes sense, and say what they will do."""

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.notes import NOTES
from sayso.providers.notes.memory import World, memory_backend
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial


def trial() -> Trial:
    return Trial(NOTES, memory_backend(NumberedIds(), World(("Notes", "Work"))))


async def test_a_folder_in_another_case_is_the_one_that_is_there():
    plan = await trial().plan("note.create", title="Plan", folder="work")

    assert plan.summary == "Create the note “Plan” in Work"
    assert plan.said_when_done == "Created the note “Plan” in Work"


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("note.create", {"title": "  "}), ("note.append", {"target": "x", "text": ""})],
)
async def test_what_is_empty_is_no_text(operation: str, arguments: dict[str, str]):
    with pytest.raises(ProposalError) as refused:
        await trial().plan(operation, **arguments)

    assert refused.value.code == "arguments.type"


async def test_nothing_may_be_found():
    answer = await trial().answer("note.find", text="milk")

    assert answer.text == "No note holds “milk”."
    assert answer.data == {"notes": [], "text": ""}


def test_who_must_approve_stands_in_the_catalogue():
    assert {operation.id: (operation.kind, operation.asks, operation.outside) for operation in NOTES.operations} == {
        "note.create": ("write", "mode", False),
        "note.append": ("write", "mode", False),
        "note.find": ("read", "none", True),
    }
