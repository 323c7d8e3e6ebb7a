"""Notes in a folder of Markdown files: the notes below it, the reads, and the backend."""

import dataclasses
import difflib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import assert_never

import anyio.to_thread
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement
from sayso.core.ports import BackendContext, Clock, Ids
from sayso.core.provider import Capability
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import File, InThreads, Names, Texts, became_of, etag_of
from sayso.providers.notes.model import AppendNote, CreateNote, CutNote, FolderThere, NoteIs, RemoveNote, Steps
from sayso.providers.notes.store import Found, Note, Notes

SUFFIXES = (".md", ".markdown")
_FRONT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?P<lines>(?:(?!---[ \t]*\r?$)[^\n]*\n)*?)---[ \t]*(?:\r?\n|\Z)", re.MULTILINE
)
_KEY = re.compile(r"(?P<key>[A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?\"<>|#^\[\]]+")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
_LONGEST = 120
"""Bytes that a title gives to the name of its file."""


class Front(Struct, frozen=True):
    """What stands at the head of a note, as far as it is known here."""

    title: str = ""
    id: str = ""


def write_note(note_id: str, title: str, body: str, date: str) -> bytes:
    """Return a new note as it stands in its file."""
    dated = [f"date: {date}"] if date else []
    lines = ["---", f"title: {json.dumps(title, ensure_ascii=False)}", *dated, "tags: []", f"id: {note_id}", "---", ""]
    return "\n".join(lines).encode() + body.encode()


def read(data: bytes) -> tuple[Front, bytes]:
    """Return the head of a note and its body; a file without a head is all body."""
    found = _FRONT.match(data)
    if found is None:
        return Front(), data.removeprefix(b"\xef\xbb\xbf")
    known: dict[str, str] = {}
    for line in found["lines"].decode("utf-8", "replace").splitlines():
        key = _KEY.fullmatch(line)
        if key is not None:
            known.setdefault(key["key"].lower(), _scalar((key["value"] or "").strip()))
    return Front(" ".join(known.get("title", "").split()), known.get("id", "")), data[found.end() :]


def _scalar(value: str) -> str:
    """Return a text as YAML writes it on one line: plain, or in quotes of either kind."""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value.partition(" #")[0].rstrip()


def file_name(title: str) -> str:
    """Return a name for the file of a note that every file system and editor takes, without its suffix."""
    words = " ".join(_NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(". ")
    while len(words.encode()) > _LONGEST:
        words = words[:-1].rstrip(". ")
    return f"{words} note" if _DEVICES.match(words) else words or "Note"


def stem(name: str) -> str:
    """Return what a file is called without its suffix."""
    return name.rpartition(".")[0]


def after(data: bytes | None, step: Steps) -> bytes | None:
    """Return what is there after a step; None for nothing. Raises `ProviderError` when it cannot be done to that."""
    match step:
        case CreateNote(new, _, title, body, _, date):
            return write_note(new, title, body, date)
        case RemoveNote():
            return None
        case AppendNote(_, text):
            return _there(data) + text.encode()
        case CutNote(_, text):
            return before_text(_there(data), text)
        case _:
            assert_never(step)


def before_text(data: bytes, text: str) -> bytes:
    """Return a file without the text at its end. Raises `ProviderError`."""
    added = text.encode()
    if not data.endswith(added):
        raise ProviderError("the note does not end with what was added; nothing was done", "world.changed")
    return data[: len(data) - len(added)]


def _there(data: bytes | None) -> bytes:
    if data is None:
        raise ProviderError("the note is gone; nothing was done", "world.changed")
    return data


TOP = "Notes"
"""What the folder itself is called, unless one in it is called so."""
ITSELF = "/"
_DEEPEST, _MOST = 6, 2000


class Kept(Struct, frozen=True):
    """One note as it stands in its file."""

    note: Note
    data: bytes


class Vault:
    """Reads a folder of notes."""

    def __init__(self, texts: Texts, *, own: bool) -> None:
        self.texts = texts
        self._own = own

    def must_be_there(self) -> bool:
        """Say whether there is a folder; one that was named must be there. Raises `ProviderError`."""
        if self.texts.is_there():
            return True
        if self._own:
            return False
        raise ProviderError(
            f"the folder of notes “{self.texts.path}” is not there; make it, or set notes.path", "notes.no_folder"
        )

    def folders(self) -> tuple[str, ...]:
        """Return what the folders are called, the whole first."""
        return tuple(self._places())

    def folder_of(self, name: str) -> str:
        """Return where the folder of a name is. Raises `ProviderError` when it is gone."""
        places = self._places()
        if name not in places:
            raise ProviderError(f"the folder “{name}” is gone; nothing was done", "world.changed")
        return places[name]

    def _places(self) -> Mapping[str, str]:
        """Return where each folder is, by what it is called."""
        below = dict(self._walk_folder("", 1)) if self.must_be_there() else {}
        top = ITSELF if TOP in below else TOP
        return {top: "", **{name: name for name in below}}

    def _walk_folder(self, folder: str, depth: int) -> Iterator[tuple[str, Names]]:
        for name in self.texts.names(folder).folders:
            below = f"{folder}/{name}" if folder else name
            try:
                names = self.texts.names(below)
            except SaysoError:
                continue
            yield below, names
            if depth < _DEEPEST:
                yield from self._walk_folder(below, depth + 1)

    def notes(self, left_out: list[str]) -> Iterator[Kept]:
        """Yield every note; of what cannot be read, a clause is put into `left_out`."""
        if not self.must_be_there():
            return
        for called, folder in self._places().items():
            for name in self.texts.names(folder).files:
                if name.lower().endswith(SUFFIXES):
                    place = f"{folder}/{name}" if folder else name
                    try:
                        kept = self._read_kept(place, called)
                    except SaysoError as odd:
                        left_out.append(f"“{place}” was left out: {odd}")
                        continue
                    if kept is not None:
                        yield kept

    def _read_kept(self, place: str, called: str) -> Kept | None:
        file = self.texts.read(place)
        return None if file is None else parse_kept(place, called, file.data, file.etag)

    def free_place(self, folder: str, title: str, taken: frozenset[str]) -> str:
        """Return the file for a new note: named after its title, with a number where that is taken."""
        where = self._places().get(folder, "")
        there = {name.casefold() for name in self.texts.names(where).files} if self.texts.is_there() else set[str]()
        called = file_name(title)
        for number in range(1, _MOST):
            name = f"{called}.md" if number == 1 else f"{called} {number}.md"
            place = f"{where}/{name}" if where else name
            if name.casefold() not in there and place.casefold() not in taken:
                return place
        raise ProviderError(f"there are {_MOST:,} notes called “{called}” already", "notes.too_many")


def parse_kept(place: str, called: str, data: bytes, etag: str) -> Kept:
    """Return a note from what stands in its file; without a head it is called as its file is."""
    front, body = read(data)
    title = front.title or stem(place.rpartition("/")[2])
    ended = not data or data.endswith(b"\n")
    note = Note(front.id or place, title, body.decode("utf-8", "replace"), called, place, etag, ended)
    return Kept(note, data)


@dataclass(frozen=True)
class Reads(Notes):
    """What operations are given; `imagined` are the steps of a batch before this one, in their order."""

    vault: Vault
    clock: Clock
    ids: Ids
    imagined: tuple[tuple[Steps, ChangeRef], ...] = ()

    def after(self, step: Steps, ref: ChangeRef) -> "Reads":
        """Return the reads in which a step was done."""
        return dataclasses.replace(self, imagined=(*self.imagined, (step, ref)))

    async def folders(self) -> tuple[str, ...]:
        return await anyio.to_thread.run_sync(self.vault.folders)

    async def note(self, note_id: str) -> Note | None:
        notes, _ = await self._notes()
        same = [note for note in notes if note_id in {note.id, note.place}]
        # Whoever copies a file copies the id in it: then only the place says which is meant.
        placed = [note for note in same if note.place == note_id]
        return next(iter(placed or same), None) if len(placed or same) == 1 else None

    async def find_by_title(self, title: str) -> tuple[Note, ...]:
        notes, _ = await self._notes()
        return tuple(note for note in notes if note.title.casefold() == title.casefold())

    async def near(self, title: str) -> tuple[str, ...]:
        notes, _ = await self._notes()
        known = {note.title.casefold(): note.title for note in notes}
        return tuple(known[one] for one in difflib.get_close_matches(title.casefold(), known, n=3, cutoff=0.5))

    async def find(self, text: str, limit: int) -> Found:
        notes, left_out = await self._notes()
        wanted = text.casefold()
        titled = [note for note in notes if wanted in note.title.casefold()]
        places = {note.place for note in titled}
        other = [note for note in notes if note.place not in places and wanted in note.body.casefold()]
        return Found((*titled, *other)[:limit], left_out)

    async def _notes(self) -> tuple[tuple[Note, ...], tuple[str, ...]]:
        return await anyio.to_thread.run_sync(self._look_at_notes)

    def _look_at_notes(self) -> tuple[tuple[Note, ...], tuple[str, ...]]:
        left_out: list[str] = []
        kept = {one.note.place: one for one in self.vault.notes(left_out)}
        for step, _ in self.imagined:
            before = kept.pop(step.place, None)
            data = after(before.data if before else None, step)
            if data is not None:
                kept[step.place] = self._imagine_note(step, before, data)
        # Two files with one id are told apart by where they stand.
        ids = [one.note.id for one in kept.values()]
        notes = (
            one.note if ids.count(one.note.id) == 1 else replace(one.note, id=one.note.place) for one in kept.values()
        )
        return tuple(notes), tuple(left_out)

    @staticmethod
    def _imagine_note(step: Steps, before: Kept | None, data: bytes) -> Kept:
        called = step.folder if isinstance(step, CreateNote) else before.note.folder if before else ""
        return parse_kept(step.place, called, data, etag_of(data))

    def fact(self, note: Note) -> Fact:
        for step, ref in reversed(self.imagined):
            if step.id == note.id and not isinstance(step, RemoveNote):
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
"""The folder in sayso's own, where none is named."""


def build(ground: BackendContext) -> "FolderBackend":
    """Return the backend over the folder that the settings name, or one of sayso's own."""
    return FolderBackend(ground)


class FolderBackend(InThreads[Steps]):
    """Notes as files that any editor reads too."""

    name = "folder"

    def __init__(self, ground: BackendContext) -> None:
        named = str(ground.settings.get("path") or "")
        self._texts = Texts(named or f"{ground.own}/{PLACE}", beneath(), ground.kill)
        self._named = bool(named)
        self._vault = Vault(self._texts, own=not named)
        self.reads = Reads(self._vault, ground.clock, ground.ids)

    def imagine(self, seen: Reads, step: Steps, ref: ChangeRef) -> Reads:
        """Return reads in which `step` has been done."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say where the notes are, and why there."""
        why = "as notes.path says" if self._named else "notes.path names no other folder"
        try:
            folders = await anyio.to_thread.run_sync(self._vault.folders)
        except SaysoError as wrong:
            return (Capability("note folders", "", str(wrong), f"mkdir -p '{self._texts.path}'", asked=self._named),)
        names = ", ".join(f"“{folder}”" for folder in folders[:8]) + (" …" if len(folders) > len(folders[:8]) else "")
        return (Capability("note folders", self._texts.path, f"{why}; folders: {names}"),)

    def _apply(self, step: Steps, expects: Facts) -> Applied:
        if isinstance(step, CreateNote):
            for fact in expects:
                if isinstance(fact, FolderThere):
                    self._vault.folder_of(fact.about)
            if not self._vault.must_be_there():
                self._texts.make_folder()
            file = self._texts.make(step.place, after(None, step) or b"", token_of(step))
            return Applied((NoteIs(step.id, file.etag),))
        expected = _expected_digest(step, expects)
        file = self._texts.read(step.place)
        if file is None or file.etag != expected:
            raise ProviderError(f"the note “{step.place}” has changed since; nothing was done", "world.changed")
        data = after(file.data, step)
        if data is None:
            self._texts.take_away(step.place, expected, token_of(step))
            return Applied()
        now = self._texts.exchange(step.place, expected, data, token_of(step))
        return Applied((NoteIs(step.id, now.etag),))

    def _settle(self, step: Steps, expects: Facts) -> Settlement:
        if not self._texts.is_there():
            return NotDone("there are no notes yet") if isinstance(step, CreateNote) else _cannot_tell()
        expected = "" if isinstance(step, CreateNote) else _expected_digest(step, expects)
        if isinstance(step, RemoveNote):
            return self._settle_removed(step, expected)
        now, aside = self._texts.read(step.place), self._texts.aside(step.place, token_of(step))
        if isinstance(step, CreateNote):
            if aside is not None:
                self._texts.discard(step.place, token_of(step))
            return _settle_new(step, now)
        return self._settle_changed(step, expected, now, aside)

    def _settle_removed(self, step: RemoveNote, expected: str) -> Settlement:
        match became_of(self._texts, step.place, token_of(step), lambda aside: aside.etag == expected):
            case "done":
                return Applied()
            case "there":
                return NotDone("the note is still there")
            case "gone":
                return _cannot_tell()
            case "changed":
                return NotDone("it had changed meanwhile, and stayed")
            case "taken":
                return CannotTell("another has taken its place")

    def _settle_changed(
        self, step: AppendNote | CutNote, expected: str, now: File | None, aside: File | None
    ) -> Settlement:
        if now is None:
            return _cannot_tell()
        ours = _bears(now.data, step, expected)
        if aside is not None and aside.etag != expected and ours:
            # Somebody else's file came out of the exchange: it gets its name back.
            self._texts.change_back(step.place, token_of(step))
            return NotDone("the note had changed meanwhile, and stayed as it was")
        if aside is not None:
            self._texts.discard(step.place, token_of(step))
        if ours:
            return Applied((NoteIs(step.id, now.etag),))
        if now.etag == expected:
            return NotDone("the note is as it was")
        if aside is not None and aside.etag == expected:
            return Applied((NoteIs(step.id, etag_of(after(aside.data, step) or b"")),))
        return CannotTell("the note was changed by somebody, and it cannot be seen by whom")


def token_of(step: Steps) -> str:
    """Return what no other step has: the id it makes, or the mark that was made for it."""
    return step.id if isinstance(step, CreateNote) else f"{step.id} {step.mark}"


def _bears(data: bytes, step: AppendNote | CutNote, expected: str) -> bool:
    """Say whether a file is exactly what it was before with what the step adds, or without what it takes off."""
    text = step.text.encode()
    if isinstance(step, CutNote):
        return etag_of(data + text) == expected
    return data.endswith(text) and etag_of(data[: len(data) - len(text)]) == expected


def _settle_new(step: CreateNote, now: File | None) -> Settlement:
    made = after(None, step) or b""
    if now is None:
        return NotDone("the note is not there")
    if now.data == made or read(now.data)[0].id == step.id:
        # The id was made for this step alone; what somebody changed since is theirs, and no undo takes it away.
        return Applied((NoteIs(step.id, etag_of(made)),))
    return CannotTell("something else stands where the note was to be")


def _expected_digest(step: Steps, expects: Facts) -> str:
    """Return what a note is expected to hold. Raises `ProviderError` where nothing says so."""
    for fact in expects:
        if isinstance(fact, NoteIs) and fact.about == step.id:
            return fact.sha256
    raise ProviderError("it is not known what this was planned upon; nothing was done", "world.changed")


def _cannot_tell() -> CannotTell:
    return CannotTell("the note is gone, and it cannot be seen who removed it")
