"""What an operation may look at in the files store: the protocol `Files`, and what its methods return.

Paths are as the model wrote them, with `~` for the person's home. Every method resolves its path by following links. It
raises `Refused` if the resolved path is outside the roots, has a protected name or belongs to sayso; otherwise it opens
exactly the resolved path, without following links. A method that needs something at the path raises a `ProviderError`
if nothing is there or if it is of the wrong kind; the error names the path as the model wrote it.
"""

from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.plan import Fact

Reach = Literal["roots", "home"]


class Item(Struct, frozen=True):
    """The file, folder or link at a path.

    `fact` identifies it: `Unchanged`, `SameFolder` for a folder whose tree was not counted, or `ResultRef` if an
    earlier step of the batch changes it.
    """

    path: str
    """The absolute path, resolved; for a link, the last name is not resolved."""
    kind: Literal["file", "folder", "link"]
    device: int
    size: int
    """Size in bytes; for a folder, that of all files in its tree."""
    entries: int
    """Number of things in the whole tree of a folder."""
    mtime_ns: int
    mode: int
    links: int
    """Number of names (hard links) of a file."""
    fact: Fact
    target: str = ""
    """The target of a link, as written in the link."""
    denied: tuple[str, ...] = ()
    """At most ten protected names within a folder's tree, as paths relative to the folder."""


class FreePlace(Struct, frozen=True):
    """A free path in a folder that exists."""

    path: str
    device: int
    parent: Fact
    """The fact that identifies the folder:

    `SameFolder`, or `ResultRef` if an earlier step of the batch puts the folder there.
    """
    free: Fact


class Gap(Struct, frozen=True):
    """The folders that are missing on the way to a path: the first one, and the names below it."""

    place: FreePlace
    below: tuple[str, ...]


class Content(Struct, frozen=True):
    """The beginning of a file as text. `total` is the file's size in bytes.

    `exact` is True if the text is the whole content, unaltered.
    """

    text: str
    total: int
    exact: bool
    head: bytes = b""
    """The first bytes as they are, at most `HEAD` of `policy/programs.py`."""


class FolderEntry(Struct, frozen=True):
    """One entry of a folder.

    If its name has bytes that are not UTF-8, `flagged` is True, and `name` and `path` show these bytes as backslash, x
    and two digits.
    """

    path: str
    name: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    mtime_ns: int
    flagged: bool = False


class Listing(Struct, frozen=True):
    """Entries in the order of their paths, and how many were left out by the limit or because they may not be shown."""

    entries: tuple[FolderEntry, ...]
    omitted: int


class Glance(Struct, frozen=True):
    """The most recently changed files and folders directly in a folder."""

    entries: tuple[FolderEntry, ...]
    marked: bool
    """Whether the folder holds one of the names that the caller asked about."""
    whole: bool
    """Whether everything in the folder was looked at and no folder was left out."""


@runtime_checkable
class Glancing(Protocol):
    """A files store that can look into a folder of any size within a time limit.

    In any other store, the folder is listed instead.
    """

    async def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what was changed last in a folder: at most `most` files and `most` folders, none of them hidden.

        `marks` are case-folded names to look for. After `seconds`, the result covers what has been seen so far.
        """
        ...


class Files(Protocol):
    """What an operation may look at.

    While a batch is planned, each answer is as if the earlier plans were carried out.
    """

    def literal_path(self, path: str) -> str:
        """Return `path` as absolute, with no link followed. Raises `ProposalError` if it cannot be read as a path."""
        ...

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what is at `path`; for a link, the link itself."""
        ...

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what is at `path` with links followed, for writing, appending, opening and reading."""
        ...

    async def exists(self, path: str) -> bool:
        """Return whether something exists at `path`. Raises the same refusals as `look`."""
        ...

    async def free(self, path: str) -> FreePlace:
        """Return the free place `path`. Raises `ProviderError` when it is taken or its folder is missing."""
        ...

    async def gap(self, path: str) -> Gap | Item:
        """Return which folders are missing on the way to the folder `path`, or the folder itself when it exists."""
        ...

    async def read(self, path: str, limit: int) -> Content:
        """Return the first `limit` bytes of a file as text; a link is followed."""
        ...

    async def list(self, path: str, limit: int) -> Listing:
        """Return the entries directly in a folder."""
        ...

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in a folder's tree has a name that matches the glob `pattern`; case is ignored."""
        ...

    async def trash_entry(self, item: Item) -> str | None:
        """Return the Trash entry that `item` would become; None where no Trash serves its file system."""
        ...

    def token(self) -> str:
        """Return a new name for the undo store."""
        ...

    async def append_missing(self) -> Literal["create", "error"]:
        """Return whether appending to a missing file creates it or is an error (T-19)."""
        ...
