"""The steps that a file backend can do, and the facts that may be expected of files and folders."""

from typing import ClassVar

from sayso.core.plan import Fact, Step


class FileStep(Step, frozen=True):
    """A step of the files store."""

    store: ClassVar[str] = "files"


class Rename(FileStep, frozen=True):
    """Give what is at `source` the free path `destination` on the same file system (renameat2 NOREPLACE)."""

    step: ClassVar[str] = "file.rename"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    source: str
    destination: str


class Copy(FileStep, frozen=True):
    """Copy a file, link or whole tree to a free path: built under `kept`, verified, then renamed into place.

    Modes, times, extended attributes and link targets come along.
    """

    step: ClassVar[str] = "file.copy"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    source: str
    destination: str
    kept: str


class Trash(FileStep, frozen=True):
    """Put what is at `path` into the freedesktop Trash under the name `entry`."""

    step: ClassVar[str] = "file.trash"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str


class Restore(FileStep, frozen=True):
    """Bring the Trash entry back to the free path it came from."""

    step: ClassVar[str] = "file.restore"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str


class Keep(FileStep, frozen=True):
    """Take what is at `path` away into sayso's private trash, under `kept`."""

    step: ClassVar[str] = "file.keep"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


class Unkeep(FileStep, frozen=True):
    """Bring what is kept under `kept` back to the free path `path`."""

    step: ClassVar[str] = "file.unkeep"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


class MakeFolders(FileStep, frozen=True):
    """Make the free folder `path` and, inside it, one below the other, the folders named in `below`.

    Built under `kept` and renamed into place as one, so that all of them are there or none.
    """

    step: ClassVar[str] = "file.make_folders"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    below: tuple[str, ...]
    kept: str


class RemoveFolders(FileStep, frozen=True):
    """Take away the folder at `path` if its tree holds nothing but folders, as many as expected."""

    step: ClassVar[str] = "file.remove_folders"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


class Write(FileStep, frozen=True):
    """Make a new file with this text (UTF-8) at a free path: built under `kept`, synced, renamed into place."""

    step: ClassVar[str] = "file.write"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    content: str
    kept: str


class Replace(FileStep, frozen=True):
    """Put a file with this text where one stands, keeping the old one's mode, owner and attributes.

    Built under `kept`, then exchanged (renameat2 EXCHANGE), so that the old file lies under `kept` afterwards.
    With `append` the new content is the old content and then the text.
    """

    step: ClassVar[str] = "file.replace"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    content: str
    kept: str
    append: bool = False


class Exchange(FileStep, frozen=True):
    """Exchange the file at `path` with the one under `kept`: the way back of `Replace`."""

    step: ClassVar[str] = "file.exchange"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


Steps = Rename | Copy | Trash | Restore | Keep | Unkeep | MakeFolders | RemoveFolders | Write | Replace | Exchange
STEPS: tuple[type[FileStep], ...] = (
    Rename, Copy, Trash, Restore, Keep, Unkeep, MakeFolders, RemoveFolders, Write, Replace, Exchange,
)  # fmt: skip

Carrying = Rename | Trash | Restore | Keep | Unkeep

KEPT = "kept:"
TRASHED = "trash:"


def way(step: Carrying) -> tuple[str, str]:
    """Return where the thing is and where it goes: a path, `kept:` and a token, or `trash:` and an entry."""
    match step:
        case Rename(source, destination):
            return source, destination
        case Trash(path, entry):
            return path, TRASHED + entry
        case Restore(path, entry):
            return TRASHED + entry, path
        case Keep(path, kept):
            return path, KEPT + kept
        case Unkeep(path, kept):
            return KEPT + kept, path


def about(place: str) -> str:
    """Return how facts name this place: a Trash entry stands for itself."""
    return place.removeprefix(TRASHED)


def place_of(thing: str) -> str:
    """Return the place that a fact is about."""
    return thing if thing.startswith(("/", KEPT)) else TRASHED + thing


class Unchanged(Fact, frozen=True):
    """The thing at this path is the very one that was seen.

    `kind` is `file`, `folder` or `link`. For a file: device, inode, size in bytes, mtime in nanoseconds
    and, up to the hashing limit, its SHA-256 (else empty). For a folder: device, inode, and the number
    of entries and bytes of its whole tree; its mtime does not count. For a link: its target's text
    stands hashed in `sha256`.

    Of a folder that sayso itself put there, `tree` says how everything in it was left: names, inodes,
    sizes and times. It is empty for a folder that was only looked at, and two facts are the same with
    or without it.
    """

    fact: ClassVar[str] = "unchanged"
    kind: str
    device: int
    inode: int
    size: int = 0
    mtime_ns: int = 0
    sha256: str = ""
    entries: int = 0
    tree: str = ""

    def __eq__(self, other: object) -> bool:
        """Compare everything but `tree`."""
        return self._compared == other._compared if isinstance(other, Unchanged) else NotImplemented

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        return (
            self.about, self.kind, self.device, self.inode, self.size, self.mtime_ns, self.sha256, self.entries,
        )  # fmt: skip


class SameFolder(Fact, frozen=True):
    """The folder at this path is still that folder, whatever it holds."""

    fact: ClassVar[str] = "same_folder"
    device: int
    inode: int


class Free(Fact, frozen=True):
    """Nothing stands at this path."""

    fact: ClassVar[str] = "free"


FACTS: tuple[type[Fact], ...] = (Unchanged, SameFolder, Free)
