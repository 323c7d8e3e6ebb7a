"""The operations on notes: create, append and find."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Line, Text
from sayso.providers.notes.model import AppendNote, CreateNote
from sayso.providers.notes.store import Note, Notes

DEFAULT_FOLDER = "Notes"
PREVIEW = 200
Limit = Annotated[int, Meta(ge=1, le=200, description="How many notes at most.")]


@operation("note.create", kind="write", asks="mode")
async def create(notes: Notes, title: Line, body: Text = "", folder: Line = DEFAULT_FOLDER) -> Plan:
    """Create a note with title and body in a folder."""
    words = title.strip()
    if not words:
        raise ProposalError("“title” must be a text that is not only blanks", "arguments.type")
    place = await _find_folder(notes, folder)
    new = notes.new_id()
    where = await notes.place(place, words)
    step = CreateNote(new, place, words, body, where, notes.now())
    return Plan(
        f"Create the note {quoted(words)} in {place}",
        (Change(step, step.undo(notes.new_id()), (notes.folder_fact(place),)),),
        said_when_done=f"Created the note {quoted(words)} in {place}",
        preview=body,
        data={"id": new, "folder": place},
    )


@operation("note.append", kind="write", asks="mode")
async def append(notes: Notes, target: Line, text: Text) -> Plan:
    """Add text on a line of its own at the end of a note, which is named by its title or id."""
    if not text:
        raise ProposalError("“text” must be a text that is not empty", "arguments.type")
    note = await _find_note(notes, target)
    added = text if note.ended and (not note.body or note.body.endswith("\n")) else f"\n{text}"
    step = AppendNote(note.id, added, notes.new_id(), note.place)
    return Plan(
        f"Add to the note {quoted(note.title)} in {note.folder}",
        (Change(step, step.undo(), (notes.fact(note),)),),
        said_when_done=f"Added to the note {quoted(note.title)}",
        preview=text,
        data={"id": note.id, "folder": note.folder},
    )


@operation("note.find", kind="read", asks="none", outside=True)
async def find(notes: Notes, text: Line, limit: Limit = 20) -> Answer:
    """Find notes by words in their title or body."""
    found = await notes.find(text.strip(), limit)
    unread = [f"Note: {clause}." for clause in found.left_out]
    more = {"left_out": list(found.left_out)} if found.left_out else {}
    if not found.notes:
        words = "\n".join([f"No note holds {quoted(text.strip())}.", *unread])
        return Answer("No notes found", {"notes": [], "text": "", **more}, words)
    words = "\n".join([*_lines(found.notes), *unread])
    count = f"{len(found.notes)} note{'s' if len(found.notes) > 1 else ''} found"
    return Answer(count, {"notes": [note_json(note) for note in found.notes], "text": words, **more}, words)


async def _find_folder(notes: Notes, name: str) -> str:
    """Return the folder with this name; case is ignored if only one folder matches then.

    Raises `ProviderError` if there is none (T-45).
    """
    folders = await notes.folders()
    wanted = name.strip()
    if wanted in folders:
        return wanted
    alike = [folder for folder in folders if folder.casefold() == wanted.casefold()]
    if len(alike) == 1:
        return alike[0]
    known = ", ".join(quoted(folder) for folder in folders) or "none"
    raise ProviderError(
        f"There is no folder {quoted(wanted)} for notes. Folders: {known}.",
        "notes.no_folder",
        tuple(Candidate(folder) for folder in folders),
    )


async def _find_note(notes: Notes, target: str) -> Note:
    """Return the note with this id or title. Raises `ProposalError` if no note or several notes match."""
    note = await notes.note(target)
    if note is not None:
        return note
    found = await notes.find_by_title(target.strip())
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(f"{quoted(one.title)} in {one.folder} (id {one.id})" for one in found[:10])
        raise ProposalError(
            f"{len(found)} notes are called {quoted(target)}: {places}. Write the id of the one you mean.",
            "target.ambiguous",
            tuple(Candidate(one.title, one.id, f"in {one.folder}") for one in found[:10]),
        )
    near = await notes.near(target)
    close = ", ".join(quoted(title) for title in near)
    hint = f" Close names: {close}." if close else ""
    candidates = tuple(Candidate(title) for title in near)
    raise ProposalError(f"No note is called {quoted(target)}.{hint}", "target.not_found", candidates)


def note_json(note: Note) -> dict[str, Json]:
    """Return a note as JSON."""
    return {"id": note.id, "title": note.title, "body": note.body, "folder": note.folder}


def _lines(found: Sequence[Note]) -> list[str]:
    lines: list[str] = []
    for note in found:
        body = " ".join(note.body.split())
        cut = "" if len(body) <= PREVIEW else f"… ({len(body)} characters)"
        lines.append(f"{note.title} (in {note.folder}, id {note.id})")
        lines += [f"   {body[:PREVIEW]}{cut}"] if body else []
    return lines
