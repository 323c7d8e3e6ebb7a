"""The reads of the files store: what an operation may look at.

Paths come as the model wrote them, with `~` for the person's home. Every read resolves a path (links
followed), refuses what lies outside the roots, has a protected name or belongs to sayso, and then opens exactly
the resolved path without following any link. Refusals are `Refused`; a thing that is missing, or of the
wrong kind, is a `ProviderError` that names the path as the model wrote it.
"""

from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.plan import Fact

Reach = Literal["roots", "home"]


class Item(Struct, frozen=True):
    """What stands at a path. `fact` identifies the thing that was seen (`Unchanged`, or `ResultRef` within a batch)."""

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
    """How many names (hard links) a file has."""
    fact: Fact
    target: str = ""
    """Where a link points, as it is written."""
    denied: tuple[str, ...] = ()
    """Protected names within a folder's tree, relative to it, at most ten."""


class FreePlace(Struct, frozen=True):
    """A free path in a folder that exists."""

    path: str
    device: int
    parent: Fact
    """The fact that identifies the folder (`SameFolder`, or `ResultRef`)."""
    free: Fact


class Gap(Struct, frozen=True):
    """The folders that are missing on the way to a path: the first of them, and the names below it."""

    place: FreePlace
    below: tuple[str, ...]


class Content(Struct, frozen=True):
    """The beginning of a file as text. `total` is its size in bytes; `exact` says that the text is all of it."""

    text: str
    total: int
    exact: bool


class FolderEntry(Struct, frozen=True):
    """One thing in a folder. When `flagged`, `name` shows bytes that are no UTF-8 as backslash, x and two digits."""

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
    """The newest files and the newest folders directly in a folder."""

    entries: tuple[FolderEntry, ...]
    marked: bool
    """The folder holds one of the names that were asked about."""
    whole: bool
    """Everything in the folder was looked at, and no folder was left out."""


@runtime_checkable
class Glancing(Protocol):
    """Reads that can look into a folder of any size within a time limit; other reads list it instead."""

    async def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what was changed last in a folder: at most `most` files and `most` folders, none of them hidden.

        `marks` are the case-folded names to look out for. After so many seconds it returns what it has seen so far.
        """
        ...


class Files(Protocol):
    """The reads. In a batch the same reads show the world as the earlier plans would leave it."""

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path`; a link itself is described, not what it points to."""
        ...

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path` with links followed, for writing, appending, opening and reading."""
        ...

    async def exists(self, path: str) -> bool:
        """Say whether something stands at `path`. Refuses what `look` refuses."""
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
