"""What an operation may look at in the file system: the reads of the files store.

Paths come as the model said them, with `~` for the person's home. Every read resolves a path (links
followed), refuses what leaves the roots, is denied by name or is sayso's own, and then opens exactly
the resolved path without following any link. Refusals are `Refused`; a thing that is not there, or is
of the wrong kind, is a `ProviderError` whose sentence names the path as said.
"""

from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.plan import Fact

Reach = Literal["roots", "home"]


class Item(Struct, frozen=True):
    """What stands at a path. `fact` says it is the one seen (`Unchanged`, or `AsLeft` within a batch)."""

    path: str
    """Resolved and absolute; the last part is not resolved when the thing itself is a link."""
    kind: Literal["file", "folder", "link"]
    device: int
    size: int
    """Bytes; of a folder, of its whole tree."""
    entries: int
    """Of a folder: how many things its whole tree holds."""
    mtime_ns: int
    mode: int
    links: int
    """How many names a file has; more than one means that another place shows the same content."""
    fact: Fact
    target: str = ""
    """Where a link points, as it is written."""
    denied: tuple[str, ...] = ()
    """Mandatory-deny names within a folder's tree, relative to it, at most ten."""


class FreePlace(Struct, frozen=True):
    """A free path in a folder that exists."""

    path: str
    device: int
    parent: Fact
    """The folder is the same folder (`SameFolder`, or `AsLeft`)."""
    free: Fact


class Gap(Struct, frozen=True):
    """The folders missing on the way to a path: `top` is the first free one, `below` the names under it."""

    place: FreePlace
    below: tuple[str, ...]


class Content(Struct, frozen=True):
    """Text of a file, bounded; `total` is the file's size in bytes, `exact` whether all of it was UTF-8 and taken."""

    text: str
    total: int
    exact: bool


class FolderEntry(Struct, frozen=True):
    """One thing in a folder; when `flagged`, undecodable bytes of `name` are written as backslash, x, two digits."""

    path: str
    name: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    mtime_ns: int
    flagged: bool = False


class Listing(Struct, frozen=True):
    """Entries by name, and how many were left out because of the limit, links, or denied names."""

    entries: tuple[FolderEntry, ...]
    omitted: int


class Glance(Struct, frozen=True):
    """What a folder holds that was changed last: its newest files and its newest folders, one level."""

    entries: tuple[FolderEntry, ...]
    marked: bool
    """One of the names that were asked about stands in it."""
    whole: bool
    """Everything in it was looked at, and no folder left out."""


@runtime_checkable
class Glancing(Protocol):
    """Reads that can look into a folder of any size within a time; what has none is listed instead."""

    async def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what of a folder was changed last, at most `most` files and as many folders; hidden ones never.

        `marks` are names, case folded, that it may hold. It ends by itself after so many seconds, and returns what
        it saw until then.
        """
        ...


class Files(Protocol):
    """The reads. In a batch the same reads show the world as the earlier plans would leave it."""

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path`; a link itself is described, not what it points to."""
        ...

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path` with links followed: for writing into, appending to, opening, reading."""
        ...

    async def exists(self, path: str) -> bool:
        """Say whether something stands at `path` (refusals as in `look`)."""
        ...

    async def free(self, path: str) -> FreePlace:
        """Return the free place `path`. Raises `ProviderError` when it is taken or its folder is missing."""
        ...

    async def gap(self, path: str) -> Gap | Item:
        """Return what is missing on the way to the folder `path`, or the folder when it is there."""
        ...

    async def read(self, path: str, limit: int) -> Content:
        """Return at most `limit` bytes of a file's start as text; a link is followed."""
        ...

    async def list(self, path: str, limit: int) -> Listing:
        """Return what a folder holds, one level."""
        ...

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in the folder's tree has a name like the glob `pattern` (case folded)."""
        ...

    async def trash_entry(self, item: Item) -> str | None:
        """Return the name under which the Trash would take `item`; None where no Trash serves its file system."""
        ...

    def token(self) -> str:
        """Return a new name for a kept place."""
        ...

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting of T-19: whether appending to a missing file makes it."""
        ...
