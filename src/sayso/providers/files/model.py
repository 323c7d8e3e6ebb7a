"""The steps of the files store, what each does to a tree of files, and the facts they expect and leave.

A step declares its effect once. The memory backend, the imagined tree of a batch, recovery and policy interpret that
declaration; only the backend on the disk has code for each step.
"""

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.plan import CannotUndo, Fact, Facts, Step

KEPT = "kept:"
TRASHED = "trash:"


class NewText(Struct, frozen=True):
    """A file with this text (UTF-8). With `append` the text follows what the file held before."""

    content: str
    append: bool = False


class NewFolders(Struct, frozen=True):
    """A folder and, inside it, one below the other, the folders named in `below`."""

    below: tuple[str, ...]


class CopyOf(Struct, frozen=True):
    """A copy of what stands at `source`, with everything in it."""

    source: str


class StepEffect(Struct, frozen=True):
    """What a step does to a tree of files.

    One thing, either the one at `takes` or a new one as `builds` says, comes to stand at `puts`, where nothing may
    stand before. With `displaces` something must stand at `puts`, and is moved there.
    """

    puts: str
    takes: str = ""
    builds: NewText | NewFolders | CopyOf | None = None
    displaces: str = ""
    token: str = ""
    """The name under which the step builds or keeps something, by which its work is recognised after a crash."""
    discards: bool = False
    """The thing taken may hold nothing but folders, and no fact says where it went."""

    @property
    def gone(self) -> str:
        """Return the place that is free afterwards; empty when there is none."""
        return "" if self.displaces else self.takes

    @property
    def leaves_tree(self) -> bool:
        """Say whether the facts left also describe everything in a folder: only sayso put it there."""
        return not self.takes.startswith("/")


class FileStep(Step, frozen=True):
    """A step of the files store."""

    store: ClassVar[str] = "files"

    @property
    def effect(self) -> StepEffect:
        """Return what the step does to the tree."""
        raise NotImplementedError

    def way_back(self, token: Callable[[], str]) -> "FileStep | CannotUndo":
        """Return the step that takes this one back; `token` makes a new name for a kept place."""
        raise NotImplementedError


class Rename(FileStep, frozen=True):
    """Give what is at `source` the free path `destination` on the same file system (renameat2 NOREPLACE)."""

    step: ClassVar[str] = "file.rename"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    source: str
    destination: str

    @property
    def effect(self) -> StepEffect:
        """Move the thing."""
        return StepEffect(takes=self.source, puts=self.destination)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Rename it back."""
        return Rename(self.destination, self.source)


class Copy(FileStep, frozen=True):
    """Copy a file, link or whole tree to a free path: built under `kept`, verified, then renamed into place.

    Modes, times, extended attributes and link targets come along.
    """

    step: ClassVar[str] = "file.copy"
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    only_read: ClassVar[tuple[str, ...]] = ("source",)
    source: str
    destination: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Make a copy; the source stays."""
        return StepEffect(builds=CopyOf(self.source), puts=self.destination, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Put the copy into the undo store."""
        return Keep(self.destination, token())


class Trash(FileStep, frozen=True):
    """Put what is at `path` into the freedesktop Trash under the name `entry`."""

    step: ClassVar[str] = "file.trash"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str

    @property
    def effect(self) -> StepEffect:
        """Move the thing to the Trash."""
        return StepEffect(takes=self.path, puts=TRASHED + self.entry)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Restore it."""
        return Restore(self.path, self.entry)


class Restore(FileStep, frozen=True):
    """Bring the Trash entry back to the free path it came from."""

    step: ClassVar[str] = "file.restore"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str

    @property
    def effect(self) -> StepEffect:
        """Move the thing back from the Trash."""
        return StepEffect(takes=TRASHED + self.entry, puts=self.path)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Put it into the Trash again."""
        return Trash(self.path, self.entry)


class Keep(FileStep, frozen=True):
    """Take what is at `path` away into sayso's undo store, under `kept`."""

    step: ClassVar[str] = "file.keep"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Move the thing to the undo store."""
        return StepEffect(takes=self.path, puts=KEPT + self.kept, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Bring it back."""
        return Unkeep(self.path, self.kept)


class Unkeep(FileStep, frozen=True):
    """Bring what is kept under `kept` back to the free path `path`."""

    step: ClassVar[str] = "file.unkeep"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Move the thing back from the undo store."""
        return StepEffect(takes=KEPT + self.kept, puts=self.path, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Keep it again."""
        return Keep(self.path, self.kept)


class MakeFolders(FileStep, frozen=True):
    """Make the free folder `path` and, inside it, one below the other, the folders named in `below`.

    Built under `kept` and renamed into place as one, so that all of them are there or none.
    """

    step: ClassVar[str] = "file.make_folders"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    below: tuple[str, ...]
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Make the folders."""
        return StepEffect(builds=NewFolders(self.below), puts=self.path, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Remove them if they still hold nothing but folders."""
        return RemoveFolders(self.path, token())


class RemoveFolders(FileStep, frozen=True):
    """Take away the folder at `path` if its tree holds nothing but folders, as many as expected."""

    step: ClassVar[str] = "file.remove_folders"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Move the folders out of sight, for good."""
        return StepEffect(takes=self.path, puts=KEPT + self.kept, token=self.kept, discards=True)

    def way_back(self, token: Callable[[], str]) -> CannotUndo:
        """Say that there is none: this step is itself a way back."""
        return CannotUndo("folders without a file in them are made anew")


class Write(FileStep, frozen=True):
    """Make a new file with this text (UTF-8) at a free path: built under `kept`, synced, renamed into place."""

    step: ClassVar[str] = "file.write"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    content: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Make the file."""
        return StepEffect(builds=NewText(self.content), puts=self.path, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Put the file into the undo store."""
        return Keep(self.path, token())


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

    @property
    def effect(self) -> StepEffect:
        """Make a file in the old one's place, and keep the old one."""
        built = NewText(self.content, self.append)
        return StepEffect(builds=built, puts=self.path, displaces=KEPT + self.kept, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Exchange the two again."""
        return ExchangeFiles(self.path, self.kept)


class ExchangeFiles(FileStep, frozen=True):
    """Exchange the file at `path` with the one under `kept`: the way back of `Replace`."""

    step: ClassVar[str] = "file.exchange"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Let the two files change places."""
        kept = KEPT + self.kept
        return StepEffect(takes=kept, puts=self.path, displaces=kept, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Exchange them again."""
        return self


Making = Copy | Write | MakeFolders
"""The steps that build a new thing and put it at a free path."""
Steps = Rename | Trash | Restore | Keep | Unkeep | RemoveFolders | Replace | ExchangeFiles | Making


def subject_of(place: str) -> str:
    """Return how facts name this place: a Trash entry stands for itself."""
    return place.removeprefix(TRASHED)


def place_of(subject: str) -> str:
    """Return the place that a fact with this subject is about."""
    return subject if subject.startswith(("/", KEPT)) else TRASHED + subject


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


def facts_at(thing: Unchanged, subject: str) -> Facts:
    """Return the facts of a thing that now stands there; a folder is also one that things can be put into."""
    moved = replace(thing, about=subject)
    if thing.kind == "folder" and not subject.startswith(KEPT):
        return (moved, SameFolder(subject, thing.device, thing.inode))
    return (moved,)


def find_unchanged(expects: Facts, place: str) -> Unchanged | None:
    """Return what was expected to stand at this place."""
    subject = subject_of(place)
    return next((fact for fact in expects if isinstance(fact, Unchanged) and fact.about == subject), None)
