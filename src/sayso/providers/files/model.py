"""The steps of the files store, their effects on a tree of files, and the facts that are true before and after them.

Each step declares its effect as data. The memory backend, the simulated tree of a batch and recovery interpret this
declaration. Only the backend on the disk has code for each step.
"""

from collections.abc import Callable
from typing import ClassVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from sayso.core.plan import NOTHING, CannotUndo, Fact, Facts, Reach, Step

KEPT = "kept:"
TRASHED = "trash:"


class NewText(Struct, frozen=True):
    """A file with the text `content` (UTF-8). With `append`, the text is added to the old content of the file."""

    content: str
    append: bool = False


class NewFolders(Struct, frozen=True):
    """A new folder, with nested folders inside it: the names in `below`, outermost first."""

    below: tuple[str, ...]


class CopyOf(Struct, frozen=True):
    """A copy of the file, link or whole folder at `source`."""

    source: str


class StepEffect(Struct, frozen=True):
    """What a step does to a tree of files.

    It puts one file, folder or link at the free place `puts`: the one at `takes`, or a new one as `builds` describes.
    With `displaces`, something is already at `puts` and is moved to `displaces`. A place is an absolute path, or a name
    in the undo store (`kept:…`) or in the Trash (`trash:…`).
    """

    puts: str
    takes: str = ""
    builds: NewText | NewFolders | CopyOf | None = None
    displaces: str = ""
    token: str = ""
    """The name under which the step builds or keeps something.

    After a crash, recovery recognises the step's work by this name.
    """
    discards: bool = False
    """Whether the step removes for good a folder that holds only folders; no fact says where it went."""

    @property
    def leaves_tree(self) -> bool:
        """Return whether the facts that are left describe all of a folder: sayso made it or brought it back."""
        return not self.takes.startswith("/")


class FileStep(Step, frozen=True):
    """A step of the files store."""

    store: ClassVar[str] = "files"

    @property
    def effect(self) -> StepEffect:
        """Return what the step does to the tree."""
        raise NotImplementedError

    def way_back(self, token: Callable[[], str]) -> "FileStep | CannotUndo":
        """Return the step that undoes this one, or why there is none; `token` makes a new name for the undo store."""
        raise NotImplementedError


class Rename(FileStep, frozen=True):
    """Rename what is at `source` to the free path `destination` on the same file system (renameat2 NOREPLACE)."""

    step: ClassVar[str] = "file.rename"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    writes: ClassVar[tuple[str, ...]] = ("destination",)
    source: str
    destination: str

    @property
    def effect(self) -> StepEffect:
        """Return a move from `source` to `destination`."""
        return StepEffect(takes=self.source, puts=self.destination)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return a rename back to `source`."""
        return Rename(self.destination, self.source)


class Copy(FileStep, frozen=True):
    """Copy a file, link or whole tree to a free path: build it under `kept`, verify it, rename it into place.

    Modes, times, extended attributes and link targets are copied too.
    """

    step: ClassVar[str] = "file.copy"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("source", "destination")
    only_read: ClassVar[tuple[str, ...]] = ("source",)
    writes: ClassVar[tuple[str, ...]] = ("destination",)
    source: str
    destination: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return the creation of a copy."""
        return StepEffect(builds=CopyOf(self.source), puts=self.destination, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the step that moves the copy into the undo store."""
        return Keep(self.destination, token())


class Trash(FileStep, frozen=True):
    """Move what is at `path` into the freedesktop Trash, under the name `entry`."""

    step: ClassVar[str] = "file.trash"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str

    @property
    def effect(self) -> StepEffect:
        """Return a move to the Trash."""
        return StepEffect(takes=self.path, puts=TRASHED + self.entry)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the opposite move."""
        return Restore(self.path, self.entry)


class Restore(FileStep, frozen=True):
    """Move the Trash entry back to the free path that it came from."""

    step: ClassVar[str] = "file.restore"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    entry: str

    @property
    def effect(self) -> StepEffect:
        """Return a move out of the Trash."""
        return StepEffect(takes=TRASHED + self.entry, puts=self.path)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the opposite move."""
        return Trash(self.path, self.entry)


class Keep(FileStep, frozen=True):
    """Move what is at `path` into sayso's undo store, under the name `kept`."""

    step: ClassVar[str] = "file.keep"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return a move to the undo store."""
        return StepEffect(takes=self.path, puts=KEPT + self.kept, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the opposite move."""
        return Unkeep(self.path, self.kept)


class Unkeep(FileStep, frozen=True):
    """Move what the undo store keeps under `kept` to the free path `path`."""

    step: ClassVar[str] = "file.unkeep"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return a move out of the undo store."""
        return StepEffect(takes=KEPT + self.kept, puts=self.path, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the opposite move."""
        return Keep(self.path, self.kept)


class MakeFolders(FileStep, frozen=True):
    """Make the free folder `path`, with nested folders inside it: the names in `below`, outermost first.

    They are built under `kept` and renamed into place together, so that all of them appear or none.
    """

    step: ClassVar[str] = "file.make_folders"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    below: tuple[str, ...]
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return the creation of the folders."""
        return StepEffect(builds=NewFolders(self.below), puts=self.path, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the step that removes the folders if they still hold only folders."""
        return RemoveFolders(self.path, token())


class RemoveFolders(FileStep, frozen=True):
    """Remove the folder at `path` if its tree holds only folders, as many as expected."""

    step: ClassVar[str] = "file.remove_folders"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return a move to the undo store, which is never undone."""
        return StepEffect(takes=self.path, puts=KEPT + self.kept, token=self.kept, discards=True)

    def way_back(self, token: Callable[[], str]) -> CannotUndo:
        """Return why this step has no undo: it is itself an undo."""
        return CannotUndo("folders without a file in them are made anew")


class Write(FileStep, frozen=True):
    """Write a new file with this text (UTF-8) at a free path: build it under `kept`, sync it, rename it into place."""

    step: ClassVar[str] = "file.write"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    writes: ClassVar[tuple[str, ...]] = ("path",)
    text_in: ClassVar[str] = "content"
    path: str
    content: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return the creation of the file."""
        return StepEffect(builds=NewText(self.content), puts=self.path, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the step that moves the file into the undo store."""
        return Keep(self.path, token())


class Replace(FileStep, frozen=True):
    """Replace the file at `path` with one that has this text, keeping mode, owner and attributes.

    The new file is built under `kept` and exchanged with the old one (renameat2 EXCHANGE), which is then under `kept`.
    With `append`, the new content is the old content followed by the text.
    """

    step: ClassVar[str] = "file.replace"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    writes: ClassVar[tuple[str, ...]] = ("path",)
    text_in: ClassVar[str] = "content"
    path: str
    content: str
    kept: str
    append: bool = False
    runs: str | UnsetType = UNSET
    """Why the file that is there is a program; only set if it is one."""

    @property
    def effect(self) -> StepEffect:
        """Return the replacement of the file; the old one is moved to the undo store."""
        built = NewText(self.content, self.append)
        return StepEffect(builds=built, puts=self.path, displaces=KEPT + self.kept, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return the step that exchanges the two files again."""
        return ExchangeFiles(self.path, self.kept)


class ExchangeFiles(FileStep, frozen=True):
    """Exchange the file at `path` with the one under `kept`. This step undoes `Replace`."""

    step: ClassVar[str] = "file.exchange"
    reach: ClassVar[Reach] = NOTHING
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str
    kept: str

    @property
    def effect(self) -> StepEffect:
        """Return an exchange of the two files."""
        kept = KEPT + self.kept
        return StepEffect(takes=kept, puts=self.path, displaces=kept, token=self.kept)

    def way_back(self, token: Callable[[], str]) -> FileStep:
        """Return this same step: done a second time, it exchanges the files back."""
        return self


Making = Copy | Write | MakeFolders
"""The steps that build a new thing and put it at a free path."""
Steps = Rename | Trash | Restore | Keep | Unkeep | RemoveFolders | Replace | ExchangeFiles | Making


def subject_of(place: str) -> str:
    """Return the name of a place in facts; it lacks the prefix `trash:`."""
    return place.removeprefix(TRASHED)


def place_of(subject: str) -> str:
    """Return the place that a fact with this subject is about."""
    return subject if subject.startswith(("/", KEPT)) else TRASHED + subject


class Unchanged(Fact, frozen=True):
    """The file, folder or link at this path is the same one that was seen earlier.

    `kind` is `file`, `folder` or `link`. A file is compared by device, inode, size in bytes, mtime in nanoseconds, and
    SHA-256, which is empty for a file above the hashing limit. A folder is compared by device, inode, and the number of
    entries and bytes in its whole tree; its mtime is ignored. For a link, `sha256` is the hash of the target's text.

    `access` is the mode and the owner: `644 1000:1000`, or for an undo only ` 1000:1000`; facts of earlier versions
    have none.

    For a folder, `tree` is a hash over the names, inodes, sizes and times of everything in it. It is empty where that
    is not known: after an earlier step of the batch changed something in the folder, or moved it away. Comparing two
    facts ignores `tree` and `access`.
    """

    fact: ClassVar[str] = "unchanged"
    owner: ClassVar[str] = "files"
    kind: str
    device: int
    inode: int
    size: int = 0
    mtime_ns: int = 0
    sha256: str = ""
    entries: int = 0
    tree: str = ""
    access: str | UnsetType = UNSET

    @property
    def for_undo(self) -> "Unchanged":
        """Return the fact without the mode: a file that was only made executable or private can go back."""
        return replace(self, access=_without_mode(self.access))

    def __eq__(self, other: object) -> bool:
        """Compare everything but `tree` and `access`."""
        return self._compared == other._compared if isinstance(other, Unchanged) else NotImplemented

    def __hash__(self) -> int:
        """Hash the fields that are compared."""
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        return (
            self.about, self.kind, self.device, self.inode, self.size, self.mtime_ns, self.sha256, self.entries,
        )  # fmt: skip


class SameFolder(Fact, frozen=True):
    """The path still leads to the same folder, with the same mode and owner; its content may differ.

    Comparing two facts ignores `access`, as for `Unchanged`.
    """

    fact: ClassVar[str] = "same_folder"
    owner: ClassVar[str] = "files"
    device: int
    inode: int
    access: str | UnsetType = UNSET

    @property
    def for_undo(self) -> "SameFolder":
        """Return the fact without the mode."""
        return replace(self, access=_without_mode(self.access))

    def __eq__(self, other: object) -> bool:
        """Compare everything but `access`."""
        return self._compared == other._compared if isinstance(other, SameFolder) else NotImplemented

    def __hash__(self) -> int:
        """Hash the fields that are compared."""
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        return (self.about, self.device, self.inode)


class Free(Fact, frozen=True):
    """Nothing exists at this path."""

    fact: ClassVar[str] = "free"
    owner: ClassVar[str] = "files"


class SameContent(Fact, frozen=True):
    """The file at this path has the same content, whichever program wrote it there."""

    fact: ClassVar[str] = "same_content"
    owner: ClassVar[str] = "files"
    size: int
    sha256: str


def access_in_text(mode: int, uid: int, gid: int) -> str:
    """Return the permissions and the owner of a file as facts hold them: `644 1000:1000`."""
    return f"{mode & 0o7777:o} {uid}:{gid}"


def _without_mode(access: str | UnsetType) -> str | UnsetType:
    return access if access is UNSET else f" {access.partition(' ')[2]}"


def access_differs(expected: str | UnsetType, now: str | UnsetType) -> str:
    """Return how the permissions or the owner differ from the expected ones; empty if not, or if none are expected."""
    if expected is UNSET or now is UNSET or expected == now:
        return ""
    (mode, _, owner), (mode_now, _, owner_now) = expected.partition(" "), now.partition(" ")
    if owner == owner_now and not mode:
        return ""
    if owner != owner_now:
        return f"it belonged to {owner} and now belongs to {owner_now} (user and group)"
    return f"its permissions were {mode} and are now {mode_now}"


def facts_at(thing: Unchanged, subject: str) -> Facts:
    """Return the facts about a thing that is now at `subject`; a folder also gets `SameFolder`, except a kept one."""
    moved = replace(thing, about=subject)
    if thing.kind == "folder" and not subject.startswith(KEPT):
        return (moved, SameFolder(subject, thing.device, thing.inode, thing.access))
    return (moved,)


def find_unchanged(expects: Facts, place: str) -> Unchanged | None:
    """Return the fact about what was expected at this place, or None."""
    subject = subject_of(place)
    return next((fact for fact in expects if isinstance(fact, Unchanged) and fact.about == subject), None)
