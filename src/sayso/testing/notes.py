"""The tests that every notes backend must pass; the backend's test class inherits them."""

from collections.abc import Mapping
from typing import cast

from sayso.core.plan import Applied, CannotUndo, NotDone, Step
from sayso.core.ports import Backend
from sayso.providers.notes import NOTES
from sayso.providers.notes.store import Note, Notes
from sayso.testing.harness import Trial, equal, refusal_of, so

STEP_CASES: Mapping[str, Mapping[str, str]] = {
    "note.create": {"title": "New", "body": "x"},
    "note.append": {"target": "List", "text": "b\n"},
}
"""Operations that each plan one change, with arguments for a store that holds a note `List` with the body “a\\n”.

The steps of these changes and of their undo must be all steps of the store.
"""
BODIES = ("", "One line", "Two\nlines\n", "“ü” 🙂\t- # *", "---\ntitle: no\n---\n")


class NotesSuite:
    """A test class inherits these tests, and defines how to `make` a backend with the empty folders Notes and Work."""

    def make(self) -> Backend:
        """Return a backend with the empty folders `Notes` and `Work`."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend."""
        return Trial(NOTES, self.make())

    async def test_a_note_is_created_and_taken_back(self) -> None:
        """Create notes with bodies that are easily damaged, in the default folder and in another one; undo each."""
        trial = self.trial()
        for body in BODIES:
            for folder in ({}, {"folder": "Work"}):
                plan = await trial.plan("note.create", title="Plan ü/..:", body=body, **folder)

                lefts = await trial.do(plan)

                (note,) = await find_by_title(trial, "Plan ü/..:")
                equal((note.body, note.folder), (body, folder.get("folder", "Notes")), "the note")
                await trial.take_back(plan, lefts)
                equal(await find_by_title(trial, "Plan ü/..:"), (), "the notes after undo")

    async def test_a_missing_folder_is_a_failure_that_lists_folders(self) -> None:
        """Create a note in a folder that does not exist (T-45)."""
        no = await refusal_of(self.trial().plan("note.create", title="x", folder="Nowhere"))

        so("“Notes”" in str(no) and "“Work”" in str(no), f"{no} lists the folders")

    async def test_text_is_added_on_a_line_of_its_own_and_taken_back(self) -> None:
        """Append to notes that are empty, that end in a line break, and that do not."""
        for body in BODIES:
            trial = self.trial()
            await trial.do(await trial.plan("note.create", title="List", body=body))
            plan = await trial.plan("note.append", target="list", text="Milk ü\n")

            lefts = await trial.do(plan)

            (note,) = await find_by_title(trial, "List")
            wanted = body + ("\n" if body and not body.endswith("\n") else "") + "Milk ü\n"
            equal(note.body, wanted, "the body")
            await trial.take_back(plan, lefts)
            equal((await find_by_title(trial, "List"))[0].body, body, "the body after undo")

    async def test_a_note_changed_since_is_not_touched(self) -> None:
        """Append twice; while the second text is there, neither the first append nor the note can be undone."""
        trial = self.trial()
        create = await trial.plan("note.create", title="List", body="a\n")
        created = await trial.do(create)
        late = await trial.plan("note.append", target="List", text="late\n")
        first = await trial.plan("note.append", target="List", text="b\n")
        first_left = await trial.do(first)
        second = await trial.plan("note.append", target="List", text="b\n")
        second_left = await trial.do(second)

        await refusal_of(trial.do(late, 1))
        await refusal_of(trial.take_back(first, first_left))
        await refusal_of(trial.take_back(create, created))
        equal((await find_by_title(trial, "List"))[0].body, "a\nb\nb\n", "the body")

        for plan, lefts in ((second, second_left), (first, first_left), (create, created)):
            await trial.take_back(plan, lefts)
        equal(await find_by_title(trial, "List"), (), "the notes")

    async def test_a_note_is_meant_by_its_title_or_id(self) -> None:
        """Create two notes with the same title; the error lists both, and an id selects one."""
        trial = self.trial()
        await trial.do(await trial.plan("note.create", title="List"))
        other = await trial.plan("note.create", title="list", folder="Work")
        await trial.do(other)

        no = await refusal_of(trial.plan("note.append", target="LIST", text="x"))
        none = await refusal_of(trial.plan("note.append", target="Lits", text="x"))
        plan = await trial.plan("note.append", target=str(other.data["id"]), text="x")

        equal(no.code, "target.ambiguous", "the code for two")
        so("Work" in str(no) and str(other.data["id"]) in str(no), f"{no} lists them")
        equal(none.code, "target.not_found", "the code for none")
        equal(plan.data["folder"], "Work", "where the note is")

    async def test_notes_are_found_by_title_and_body(self) -> None:
        """Find notes by words in titles and bodies; titles are listed first, and case does not matter."""
        trial = self.trial()
        for title, body in (("Shopping", "bread, MILK"), ("Milk", "none"), ("Other", "")):
            await trial.do(await trial.plan("note.create", title=title, body=body))

        found = await trial.answer("note.find", text="milk")
        one = await trial.answer("note.find", text="milk", limit=1)

        equal([note["title"] for note in rows(found.data["notes"])], ["Milk", "Shopping"], "what is found")
        equal(len(rows(one.data["notes"])), 1, "how many with a limit of one")

    async def test_a_batch_sees_what_its_earlier_steps_will_make(self) -> None:
        """Plan creating a note and appending to it twice, before any of these is done."""
        trial = self.trial()
        plans = [await trial.plan("note.create", title="List", body="a")]
        trial.imagine(plans[-1])
        for text in ("b", "c"):
            plans.append(await trial.plan("note.append", target="List", text=text))
            trial.imagine(plans[-1])

        for number, plan in enumerate(plans):
            await trial.do(plan, number)

        equal((await find_by_title(trial, "List"))[0].body, "a\nb\nc", "the body")

    async def test_a_step_is_settled_by_what_it_leaves(self) -> None:
        """Settle each step of `STEP_CASES` before and after it is done."""
        tried: set[str] = set()
        for operation, arguments in STEP_CASES.items():
            trial = self.trial()
            await trial.do(await trial.plan("note.create", title="List", body="a\n"))
            plan = await trial.plan(operation, **arguments)
            (change,) = plan.changes
            so(isinstance(await trial.backend.settle(change.do, change.expects), NotDone), f"{operation} waits")

            (left,) = await trial.do(plan)

            settled = await trial.backend.settle(change.do, change.expects)
            so(isinstance(settled, Applied) and settled == left, f"{operation} is done, and left the same")
            so(not isinstance(change.undo, CannotUndo), f"{operation} can be undone")
            tried |= {change.do.step, cast("Step", change.undo).step}
        equal(tried, {step.step for step in NOTES.steps}, "the steps that STEP_CASES tries")


async def find_by_title(trial: Trial, title: str) -> tuple[Note, ...]:
    """Return the notes with this title."""
    return await cast("Notes", trial.seen).find_by_title(title)


def rows(value: object) -> list[dict[str, object]]:
    """Return the rows of a result, typed."""
    return cast("list[dict[str, object]]", value)
