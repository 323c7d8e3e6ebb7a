"""The notes below one folder, each a Markdown file with front matter."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import assert_never

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.values import dataclass
from sayso.providers.disk.textfiles import Names, Texts
from sayso.providers.notes.model import AppendNote, CreateNote, CutNote, RemoveNote, Steps
from sayso.providers.notes.store import Note

SUFFIXES = (".md", ".markdown")

_FRONT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?P<lines>(?:(?!---[ \t]*\r?$)[^\n]*\n)*?)---[ \t]*(?:\r?\n|\Z)", re.MULTILINE
)

_KEY = re.compile(r"(?P<key>[A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(?P<value>.*))?")

_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?\"<>|#^\[\]]+")

_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")

_LONGEST = 120

"""Bytes that a title gives to the name of its file."""


@dataclass(frozen=True, slots=True)
class Front:
    """What stands at the head of a note, as far as it is known here."""

    title: str = ""
    id: str = ""


def written(note_id: str, title: str, body: str, date: str) -> bytes:
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
            return written(new, title, body, date)
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


@dataclass(frozen=True, slots=True)
class Kept:
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
        below = dict(self._walked("", 1)) if self.must_be_there() else {}
        top = ITSELF if TOP in below else TOP
        return {top: "", **{name: name for name in below}}

    def _walked(self, folder: str, depth: int) -> Iterator[tuple[str, Names]]:
        for name in self.texts.names(folder).folders:
            below = f"{folder}/{name}" if folder else name
            try:
                names = self.texts.names(below)
            except SaysoError:
                continue
            yield below, names
            if depth < _DEEPEST:
                yield from self._walked(below, depth + 1)

    def notes(self, left_out: list[str]) -> Iterator[Kept]:
        """Yield every note; of what cannot be read, a clause is put into `left_out`."""
        if not self.must_be_there():
            return
        for called, folder in self._places().items():
            for name in self.texts.names(folder).files:
                if name.lower().endswith(SUFFIXES):
                    place = f"{folder}/{name}" if folder else name
                    try:
                        kept = self._kept(place, called)
                    except SaysoError as odd:
                        left_out.append(f"“{place}” was left out: {odd}")
                        continue
                    if kept is not None:
                        yield kept

    def _kept(self, place: str, called: str) -> Kept | None:
        file = self.texts.read(place)
        return None if file is None else kept_as(place, called, file.data, file.etag)

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


def kept_as(place: str, called: str, data: bytes, etag: str) -> Kept:
    """Return a note from what stands in its file; without a head it is called as its file is."""
    front, body = read(data)
    title = front.title or stem(place.rpartition("/")[2])
    ended = not data or data.endswith(b"\n")
    note = Note(front.id or place, title, body.decode("utf-8", "replace"), called, place, etag, ended)
    return Kept(note, data)
