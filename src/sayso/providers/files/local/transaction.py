"""What all steps on the disk share: the workspace, checking of expected facts, and safe renames."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.core.plan import Fact, Facts, unchecked
from sayso.core.ports import KillPoint
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import path_changed_error, rename_to_free, sync, thing_changed_error
from sayso.providers.files.local.measure import FileSnapshot, Measure, access_of, difference
from sayso.providers.files.local.sandbox import Confinement, Spot, same
from sayso.providers.files.local.trash import Trashes
from sayso.providers.files.local.undo_store import StashNote, UndoStore
from sayso.providers.files.model import Free, SameContent, SameFolder, Unchanged, access_differs, facts_at


class Expectations:
    """Checks the facts that one step expects; `spots` are the places that the step touches.

    With `abroad`, a step of another store expects them: they may be about anything in the person's home, and a place
    outside every root is refused.
    """

    def __init__(
        self, confine: Confinement, measure: Measure, stack: ExitStack, *spots: Spot, abroad: bool = False
    ) -> None:
        self._confine = confine
        self._measure = measure
        self._stack = stack
        self._abroad = abroad
        self._spots: Mapping[str, Spot] = {spot.about: spot for spot in spots}
        self._folders = {os.path.dirname(spot.about): spot.folder for spot in spots if spot.name != "."}
        self._seen: dict[str, FileSnapshot] = {}

    def check(self, expects: Facts) -> None:
        """Raise `ProviderError` (`world.changed`) for the first fact that is no longer true."""
        for fact in expects:
            self._check(fact)

    def seen(self, spot: Spot) -> FileSnapshot:
        """Return what was at a spot of the step when it was checked. Raises `ProviderError`."""
        if spot.about not in self._seen:
            seen = self._measure.see(spot, self._stack)
            if seen is None:
                raise thing_changed_error(spot.said, "it is gone")
            self._seen[spot.about] = seen
        return self._seen[spot.about]

    def _check(self, fact: Fact) -> None:
        match fact:
            case Unchanged():
                self._check_unchanged(fact)
            case SameFolder():
                self._same_folder(fact)
            case Free():
                self._free(fact)
            case SameContent():
                self._same_content(fact)
            case _:
                raise unchecked(fact)

    def _check_unchanged(self, fact: Unchanged) -> None:
        spot = self._spot(fact.about)
        now = self.seen(spot) if spot is not None else None
        how = difference(fact, now.whole if now else None)
        if how:
            raise thing_changed_error(self._confine.show_path(fact.about) if spot is None else spot.said, how)

    def _same_folder(self, fact: SameFolder) -> None:
        said = self._confine.show_path(fact.about)
        if fact.about in self._folders:
            found = os.fstat(self._folders[fact.about])
        else:
            spot = self._spot(fact.about)
            there = spot.stat() if spot is not None else None
            if there is None:
                raise thing_changed_error(said, "it is gone")
            found = there
        if (found.st_dev, found.st_ino) != (fact.device, fact.inode):
            raise thing_changed_error(said, "another folder is there now")
        how = access_differs(fact.access, access_of(found))
        if how:
            raise thing_changed_error(said, how)

    def _free(self, fact: Free) -> None:
        spot = self._spot(fact.about)
        if spot is not None and spot.stat() is not None:
            raise thing_changed_error(spot.said, "something is there now")

    def _same_content(self, fact: SameContent) -> None:
        spot = self._spot(fact.about)
        if spot is None:
            raise thing_changed_error(self._confine.show_path(fact.about), "it is gone")
        now = self.seen(spot).fact
        if now.kind != "file":
            raise thing_changed_error(spot.said, f"a {now.kind} is there now")
        if (now.size, now.sha256) != (fact.size, fact.sha256):
            raise thing_changed_error(spot.said, "its content is different")

    def _spot(self, about: str) -> Spot | None:
        """Return the `Spot` that a fact is about; None when its folder is gone or it is outside every root.

        The undo store and the Trash are in no root. If the step has not opened such a place, the place does not exist
        yet, and creating it later fails if its name is taken.
        """
        if about in self._spots:
            return self._spots[about]
        try:
            reach = "home" if self._abroad else "roots"
            return self._confine.spot(self._confine.admit_planned(about, reach), self._stack)
        except Refused as refused:
            if refused.code == "path.outside_roots" and not self._abroad:
                return None
            if self._abroad and refused.code != "path.changed":
                raise
            raise path_changed_error(self._confine.show_path(about)) from refused
        except ProviderError:
            return None


_COARSE = 5
"""The number of CLOCK_REALTIME_COARSE, which Python does not define."""


IntoTrash = Callable[[FileSnapshot, Spot, Spot, KillPoint], None]
"""Moves what was seen at one spot to another one, which is in a Trash; raises like `carry`."""


class Modes(Struct, frozen=True):
    """The modes of new files and folders, fixed when the backend is built (TO-05)."""

    file: int
    folder: int


class Workspace(Struct, frozen=True):
    """What steps need from their backend. Kill points are called `files.<step>.<where>`."""

    confine: Confinement
    measure: Measure
    kept: UndoStore
    trashes: Trashes
    modes: Modes
    kill: KillPoint
    keep_seconds: int
    into_trash: IntoTrash

    def kill_point(self, step: str) -> KillPoint:
        """Return a kill point that adds the step's name to its labels."""
        return lambda where: self.kill(f"files.{step}.{where}")

    def spot(self, path: str, stack: ExitStack) -> Spot:
        """Return the `Spot` for a path of a step."""
        return self.confine.spot(self.confine.admit_planned(path), stack)

    def movable_spot(self, path: str, stack: ExitStack) -> Spot:
        """Return the `Spot` of a thing that is to be moved away. Raises `Refused` if it must stay, as a root must."""
        self.confine.must_not_be_a_root(self.confine.admit_planned(path))
        return self.spot(path, stack)

    def check_expected(self, expects: Facts, stack: ExitStack, *spots: Spot) -> Expectations:
        """Return the expectations of a step after checking all of them. Raises `ProviderError`."""
        expectations = Expectations(self.confine, self.measure, stack, *spots)
        expectations.check(expects)
        return expectations

    def check_abroad(self, expects: Facts) -> None:
        """Check facts that a step of another store expects. Raises `ProviderError` or `Refused`."""
        with ExitStack() as stack:
            Expectations(self.confine, self.measure, stack, abroad=True).check(expects)

    def note(self, step: str, spot: Spot, **members: Unchanged | tuple[SameFolder, ...]) -> StashNote:
        """Return a note, dated now, about what is or will be at `spot`."""
        note = StashNote(step, spot.path, self.kept.now().isoformat(), owner=self.kept.owner)
        return replace(note, **members)


def carry(
    seen: FileSnapshot, source: Spot, target: Spot, kill: KillPoint, also: Callable[[], None] | None = None
) -> None:
    """Rename what was seen at `source` to the free `target`, durably, and check that the same thing arrived.

    Raises `FileExistsError` when the target is taken. Raises `Refused` when another thing was at `source`, after moving
    it back. Raises `Uncertain` when moving it back fails, or when another program may have replaced what arrived.
    `also` runs after the rename and before the folders are synced.
    """
    before = _now()
    rename_to_free(source.folder, source.name, target.folder, target.name)
    kill("renamed")
    _must_have_come(seen, source, target, before)
    try:
        if also is not None:
            also()
            kill("cleared")
        sync(target.folder)
        sync(source.folder)
    except OSError as wrong:
        raise Uncertain(
            (
                f"{quoted(source.said)} was moved, but the disk reported a fault "
                f"({os.strerror(wrong.errno or 0)}); look at it"
            ),
            "disk.failed",
        ) from wrong
    kill("synced")


def _must_have_come(seen: FileSnapshot, source: Spot, target: Spot, before: int) -> None:
    try:
        came = same(target.stat(), seen.found)
    except OSError as wrong:
        raise _unseen(source, wrong) from wrong
    if came:
        return
    if source.is_ours or source.unguessed:
        # No other program puts anything into sayso's own places. What is at the target now was put there after the
        # rename.
        raise Uncertain(
            f"{quoted(target.said)} was put into place, but another program changed it at that moment; that change was "
            "left as it is: look at it",
            "path.changed",
        )
    _put_back(source, target)
    alone = target.is_ours or target.unguessed
    if not alone and os.fstat(seen.held).st_ctime_ns >= before:
        # The thing was renamed just now. Either this step renamed it, and another program then replaced it at the
        # target, or another program renamed it before this step. The disk does not show which.
        raise Uncertain(
            f"another program was changing {quoted(source.said)} or {quoted(target.said)} at that moment; what stood at"
            f" {quoted(target.said)} then is at {quoted(source.said)} now: look at both",
            "path.changed",
        )
    raise Refused(
        f"something else was put at {quoted(source.said)} at that moment; nothing was changed", "path.changed"
    )


def _now() -> int:
    """Return the time as file systems record it, which is up to a few milliseconds late."""
    return time.clock_gettime_ns(_COARSE if sys.platform.startswith("linux") else time.CLOCK_REALTIME)


def _unseen(source: Spot, wrong: OSError) -> Uncertain:
    return Uncertain(
        f"{quoted(source.said)} was moved, but the disk could not show it afterwards ({os.strerror(wrong.errno or 0)});"
        " look at it",
        "disk.failed",
    )


def _put_back(source: Spot, target: Spot) -> None:
    try:
        rename_to_free(target.folder, target.name, source.folder, source.name)
    except OSError as wrong:
        raise Uncertain(
            f"something else was put at {quoted(source.said)} at that moment; it is now at {quoted(target.path)}",
            "path.changed",
        ) from wrong


def there(seen: FileSnapshot, spot: Spot) -> Facts:
    """Return the facts about a thing that was seen earlier and is now at `spot`."""
    return facts_at(seen.fact, spot.about)


def back(seen: FileSnapshot, spot: Spot) -> Facts:
    """Return the facts about a thing that was brought back to `spot`; for a folder, also about everything inside."""
    return facts_at(seen.whole, spot.about)


def free_fact(spot: Spot) -> Free:
    """Return the fact that nothing exists at `spot`."""
    return Free(spot.about)
