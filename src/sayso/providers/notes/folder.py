"""The notes backend for a folder of Markdown files, and what operations can read of the folder."""

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import anyio.to_thread
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.normal_forms import normal_form
from sayso.core.plan import ChangeRef, Fact, Facts, ResultRef
from sayso.core.ports import BackendContext, Clock, Ids
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.disk.entries import EntryFiles, bytes_of, text_of
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import FolderNames, Texts, etag_of
from sayso.providers.notes.model import CreateNote, FolderThere, NoteIs, Steps, token_of
from sayso.providers.notes.store import FoundNotes, Note, Notes

SUFFIXES = (".md", ".markdown")
_FRONT = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<lines>(?:(?!---[ \t]*\r?$)[^\n]*\n)*?)---[ \t]*(?:\r?\n|\Z)", re.MULTILINE
)
_KEY = re.compile(r"(?P<key>[A-Za-z][\w-]*)[ \t]*:(?:[ \t]++(?P<value>.*))?")
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?\"<>|#^\[\]]+")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
_LONGEST = 120
"""Maximum number of bytes of a title that are used in a file name."""


class Front(Struct, frozen=True):
    """The values that sayso uses from the YAML front matter of a note."""

    title: str = ""
    id: str = ""


def write_front(step: CreateNote) -> str:
    """Return the front matter of a new note's file."""
    dated = [f"date: {step.date}"] if step.date else []
    title = json.dumps(step.title, ensure_ascii=False)
    return "\n".join(["---", f"title: {title}", *dated, "tags: []", f"id: {step.id}", "---", ""])


def read_front(text: str) -> tuple[Front, str]:
    """Return the front matter of a note and its body; without front matter, the whole file is the body."""
    found = _FRONT.match(text)
    if found is None:
        return Front(), text.removeprefix("\ufeff")
    known: dict[str, str] = {}
    for line in show_bytes(found["lines"]).splitlines():
        key = _KEY.fullmatch(line)
        if key is not None:
            known.setdefault(key["key"].lower(), _read_scalar((key["value"] or "").strip()))
    return Front(" ".join(known.get("title", "").split()), known.get("id", "")), text[found.end() :]


def show_bytes(text: str) -> str:
    """Return a text that `text_of` read, with a replacement character for each invalid byte."""
    return bytes_of(text).decode("utf-8", "replace")


def _read_scalar(value: str) -> str:
    """Return the text of a YAML scalar on one line: plain, single-quoted or double-quoted."""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value.partition(" #")[0].rstrip()


def file_name(title: str) -> str:
    """Return a file name for a note, without suffix, that is valid on every file system."""
    words = " ".join(_NOT_IN_NAMES.sub(" ", normal_form(title)).split()).strip(". ")
    if len(words.encode()) > _LONGEST:
        words = words.encode()[:_LONGEST].decode("utf-8", "ignore").rstrip(". ")
    return f"{words} note" if _DEVICES.match(words) else words or "Note"


def stem(name: str) -> str:
    """Return the name of a file without its suffix."""
    return name.rpartition(".")[0]


def text_after(step: Steps, text: str | None) -> str | None:
    """Return the text of a note's file after a step; None means that there is no file then. Raises `ProviderError`."""
    edited = step.edit(text)
    return f"{write_front(step)}{edited}" if isinstance(step, CreateNote) else edited


TOP = "Notes"
"""The name of the top folder; if a folder below it has the same name, `ITSELF` is used instead."""
ITSELF = "/"
_DEEPEST, _MOST = 6, 2000


class NoteFile(Struct, frozen=True):
    """A note, and the text of its file."""

    note: Note
    text: str


class Vault:
    """Reads a folder of notes."""

    def __init__(self, texts: Texts, *, own: bool) -> None:
        self.texts = texts
        self._own = own

    def must_be_there(self) -> bool:
        """Say whether the folder exists. Raises `ProviderError` if the settings name the folder and it is missing."""
        if self.texts.is_there():
            return True
        if self._own:
            return False
        raise ProviderError(
            f"the folder of notes {quoted(self.texts.path)} is not there; make it, or set notes.path", "notes.no_folder"
        )

    def folders(self) -> tuple[str, ...]:
        """Return the names of the folders, the top folder first; empty if the folder of notes does not exist yet."""
        return tuple(self._places())

    def folder_of(self, name: str) -> str:
        """Return the path of a folder, by its name. Raises `ProviderError` if it no longer exists."""
        places = self._places()
        if name not in places:
            raise ProviderError(f"the folder {quoted(name)} is gone; nothing was done", "world.changed")
        return places[name]

    def _places(self) -> Mapping[str, str]:
        """Return the path of each folder, by its name."""
        below = dict(self._walk_folder("", 1)) if self.must_be_there() else {}
        top = ITSELF if TOP in below else TOP
        return {top: "", **{name: name for name in below}}

    def _walk_folder(self, folder: str, depth: int) -> Iterator[tuple[str, FolderNames]]:
        for name in self.texts.names(folder).folders:
            below = f"{folder}/{name}" if folder else name
            try:
                names = self.texts.names(below)
            except SaysoError:
                continue
            yield below, names
            if depth < _DEEPEST:
                yield from self._walk_folder(below, depth + 1)

    def notes(self, left_out: list[str]) -> Iterator[NoteFile]:
        """Yield every note; for each file that cannot be read, add a text that says so to `left_out`."""
        if not self.must_be_there():
            return
        for called, folder in self._places().items():
            for name in self.texts.names(folder).files:
                if name.lower().endswith(SUFFIXES):
                    place = f"{folder}/{name}" if folder else name
                    try:
                        file = self.texts.read(place)
                    except SaysoError as error:
                        left_out.append(f"{quoted(place)} was left out: {error}")
                        continue
                    if file is not None:
                        yield read_note(place, called, file.data)

    def free_place(self, folder: str, title: str, taken: frozenset[str]) -> str:
        """Return an unused path for a new note: its title as the file name, followed by a number if necessary."""
        where = self._places().get(folder, "")
        existing = {name.casefold() for name in self.texts.names(where).files} if self.texts.is_there() else set[str]()
        base = file_name(title)
        for number in range(1, _MOST):
            name = f"{base}.md" if number == 1 else f"{base} {number}.md"
            place = f"{where}/{name}" if where else name
            if name.casefold() not in existing and place.casefold() not in taken:
                return place
        raise ProviderError(f"there are {_MOST:,} notes called {quoted(base)} already", "notes.too_many")


def read_note(place: str, folder: str, data: bytes) -> NoteFile:
    """Return a note from the content of its file; if the content has no title, the title is the file name."""
    text = text_of(data)
    front, body = read_front(text)
    title = front.title or stem(place.rpartition("/")[2])
    ended = not data or data.endswith(b"\n")
    return NoteFile(Note(front.id or place, title, show_bytes(body), folder, place, etag_of(data), ended), text)


@dataclass(frozen=True)
class FolderNotes(Notes):
    """What operations can read of a folder; `imagined` are the earlier steps of the batch, in order."""

    vault: Vault
    clock: Clock
    ids: Ids
    imagined: tuple[tuple[Steps, ChangeRef], ...] = ()

    def after(self, step: Steps, ref: ChangeRef) -> "FolderNotes":
        """Return what operations can read after this step."""
        return dataclasses.replace(self, imagined=(*self.imagined, (step, ref)))

    async def folders(self) -> tuple[str, ...]:
        return await anyio.to_thread.run_sync(self.vault.folders)

    async def all_notes(self) -> FoundNotes:
        return await anyio.to_thread.run_sync(self._all_notes)

    def _all_notes(self) -> FoundNotes:
        left_out: list[str] = []
        files = {one.note.place: one for one in self.vault.notes(left_out)}
        for step, _ in self.imagined:
            before = files.pop(step.place, None)
            text = text_after(step, before.text if before else None)
            if text is not None:
                folder = step.folder if isinstance(step, CreateNote) else before.note.folder if before else ""
                files[step.place] = read_note(step.place, folder, bytes_of(text))
        # If several files contain the same id, the path of each is used as its id.
        count = Counter(one.note.id for one in files.values())
        notes = (
            one.note if count[one.note.id] == 1 else replace(one.note, id=one.note.place) for one in files.values()
        )
        return FoundNotes(tuple(notes), tuple(left_out))

    def fact(self, note: Note) -> Fact:
        for step, ref in reversed(self.imagined):
            if step.id == note.id and not step.removes:
                return ResultRef(note.id, NoteIs.fact, ref.change, ref.action)
        return NoteIs(note.id, note.etag)

    def folder_fact(self, folder: str) -> Fact:
        return FolderThere(folder)

    async def place(self, folder: str, title: str) -> str:
        taken = frozenset(step.place.casefold() for step, _ in self.imagined)
        return await anyio.to_thread.run_sync(partial(self.vault.free_place, folder, title, taken))

    def now(self) -> str:
        return self.clock.now().astimezone().isoformat(timespec="seconds")

    def new_id(self) -> str:
        return self.ids.token()


PLACE = "notes"
"""The folder inside sayso's own folder that is used if the settings name no folder."""


def build(context: BackendContext) -> "FolderBackend":
    """Return the backend for the folder that the settings name, or else for a folder inside sayso's own folder."""
    return FolderBackend(context)


class FolderBackend(EntryFiles[Steps]):
    """Keeps notes as Markdown files, which any editor can open."""

    name = "folder"
    entry = "note"

    def __init__(self, context: BackendContext) -> None:
        named = str(context.settings.get("path") or "")
        self.texts = Texts(named or f"{context.own}/{PLACE}", beneath(), context.kill)
        self._named = bool(named)
        self._vault = Vault(self.texts, own=not named)
        self.reads = FolderNotes(self._vault, context.clock, context.ids)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return the path of the notes' folder, and whether the settings name it."""
        why = "as notes.path says" if self._named else "the default, as notes.path names no other folder"
        try:
            folders = await anyio.to_thread.run_sync(self._vault.folders)
        except SaysoError as error:
            return (Capability("note folders", "", str(error), f"mkdir -p '{self.texts.path}'", asked=self._named),)
        names = ", ".join(quoted(folder) for folder in folders[:8]) + (" …" if len(folders) > len(folders[:8]) else "")
        return (Capability("note folders", self.texts.path, f"{why}; folders: {names}"),)

    def token(self, step: Steps) -> str:
        """Return the token of a step: the id of a new note, or the note's id and the step's mark."""
        return token_of(step)

    def after(self, step: Steps, text: str | None) -> str | None:
        """Return the text of a note's file after a step."""
        return text_after(step, text)

    def expected_etag(self, step: Steps, expects: Facts) -> str | None:
        """Return the hash that the note should have; None for a new note. Raises `ProviderError`."""
        if isinstance(step, CreateNote):
            return None
        for fact in expects:
            if isinstance(fact, NoteIs) and fact.about == step.id:
                return fact.sha256
        raise ProviderError("what this plan was based on is not known; nothing was done", "world.changed")

    def facts(self, step: Steps, etag: str | None) -> Facts:
        """Return the fact that the note has this ETag; no fact if the note was removed."""
        return () if etag is None else (NoteIs(step.id, etag),)

    def check(self, step: Steps, expects: Facts, text: str | None) -> None:
        """Raise `ProviderError` if the folder for a new note no longer exists; create the top folder if necessary."""
        if not isinstance(step, CreateNote):
            return
        for fact in expects:
            if isinstance(fact, FolderThere):
                self._vault.folder_of(fact.about)
        if not self._vault.must_be_there():
            self.texts.make_folder()

    def is_result(self, step: Steps, text: str, expected: str) -> bool:
        """Say whether the text before the step, as far as it can be told, has the expected hash."""
        before = step.before(text)
        return before is not None and etag_of(bytes_of(before)) == expected

    def is_new(self, step: Steps, text: str) -> bool:
        """Say whether the note has the id that was made for this step alone; if so, the step was done."""
        return read_front(text)[0].id == step.id
