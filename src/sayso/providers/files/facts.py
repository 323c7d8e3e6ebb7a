"""What may be expected of a file or folder, each fact about one path."""

from dataclasses import field
from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Unchanged(Fact):
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
    tree: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SameFolder(Fact):
    """The folder at this path is still that folder, whatever it holds."""

    fact: ClassVar[str] = "same_folder"
    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Free(Fact):
    """Nothing stands at this path."""

    fact: ClassVar[str] = "free"


FACTS: tuple[type[Fact], ...] = (Unchanged, SameFolder, Free)
