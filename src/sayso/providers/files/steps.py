"""The closed union of what a file backend can do, each one atomic as seen from outside.

`kept` names a place in sayso's private trash on the same file system (a token made before the plan was
shown); what is replaced or removed goes there whole and comes back whole, with its inode.
"""

from typing import ClassVar

from sayso.core.plan import Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class FileStep(Step):
    """A step of the files store."""

    store: ClassVar[str] = "files"


@dataclass(frozen=True, slots=True)
class Rename(FileStep):
    """Give what is at `source` the free path `destination` on the same file system (renameat2 NOREPLACE)."""

    step: ClassVar[str] = "file.rename"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    source: str
    destination: str


@dataclass(frozen=True, slots=True)
class Copy(FileStep):
    """Copy a file, link or whole tree to a free path: built under `kept`, verified, then renamed into place.

    Modes, times, extended attributes and link targets come along.
    """

    step: ClassVar[str] = "file.copy"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    source: str
    destination: str
    kept: str


@dataclass(frozen=True, slots=True)
class Trash(FileStep):
    """Put what is at `path` into the freedesktop Trash under the name `entry`."""

    step: ClassVar[str] = "file.trash"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str


@dataclass(frozen=True, slots=True)
class Restore(FileStep):
    """Bring the Trash entry back to the free path it came from."""

    step: ClassVar[str] = "file.restore"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str


@dataclass(frozen=True, slots=True)
class Keep(FileStep):
    """Take what is at `path` away into sayso's private trash, under `kept`."""

    step: ClassVar[str] = "file.keep"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


@dataclass(frozen=True, slots=True)
class Unkeep(FileStep):
    """Bring what is kept under `kept` back to the free path `path`."""

    step: ClassVar[str] = "file.unkeep"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


@dataclass(frozen=True, slots=True)
class MakeFolders(FileStep):
    """Make the free folder `path` and, inside it, one below the other, the folders named in `below`.

    Built under `kept` and renamed into place as one, so that all of them are there or none.
    """

    step: ClassVar[str] = "file.make_folders"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    below: tuple[str, ...]
    kept: str


@dataclass(frozen=True, slots=True)
class RemoveFolders(FileStep):
    """Take away the folder at `path` if its tree holds nothing but folders, as many as expected."""

    step: ClassVar[str] = "file.remove_folders"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


@dataclass(frozen=True, slots=True)
class Write(FileStep):
    """Make a new file with this text (UTF-8) at a free path: built under `kept`, synced, renamed into place."""

    step: ClassVar[str] = "file.write"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    content: str
    kept: str


@dataclass(frozen=True, slots=True)
class Replace(FileStep):
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


@dataclass(frozen=True, slots=True)
class Exchange(FileStep):
    """Exchange the file at `path` with the one under `kept`: the way back of `Replace`."""

    step: ClassVar[str] = "file.exchange"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str


Steps = Rename | Copy | Trash | Restore | Keep | Unkeep | MakeFolders | RemoveFolders | Write | Replace | Exchange
STEPS: tuple[type[FileStep], ...] = (
    Rename, Copy, Trash, Restore, Keep, Unkeep, MakeFolders, RemoveFolders, Write, Replace, Exchange,
)  # fmt: skip
