"""The suite for notes finds a backend that does not keep the rules."""

import pytest

from sayso.core.memory_backend import MemoryBackend, MemoryRules
from sayso.core.ports import Backend
from sayso.providers.notes.memory import MemoryNotes, NotesWorld, do_step
from sayso.testing.fakes import NumberedIds
from sayso.testing.notes import NotesSuite


class Suite(NotesSuite):
    """The suite on notes that are never looked at before they are changed."""

    def make(self) -> Backend:
        ids = NumberedIds()
        laws = MemoryRules(does=do_step, holds=lambda world, fact: True, reads=lambda seen: MemoryNotes(seen, ids))
        return MemoryBackend(NotesWorld(("Notes", "Work")), laws, lasting=True)


async def test_notes_that_change_what_has_changed_are_found():
    with pytest.raises(AssertionError, match="should have been refused"):
        await Suite().test_a_note_changed_since_is_not_touched()
