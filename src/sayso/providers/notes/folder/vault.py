"""The notes below one folder: which folders there are, and every note as its file says it."""

from collections.abc import Iterator, Mapping

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.values import dataclass
from sayso.providers.disk.texts import Names, Texts
from sayso.providers.notes.folder.markdown import SUFFIXES, file_name, read, stem
from sayso.providers.notes.store import Note

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
