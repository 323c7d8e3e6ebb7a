"""Looking at the disk: single paths, listings, searches and texts, all within limits."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from fnmatch import translate
from heapq import heappush, heappushpop
from typing import Literal

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.core.ports import Clock
from sayso.policy.paths import find_denied_name
from sayso.providers.disk.syscalls import FOLDER, in_words
from sayso.providers.files import errors
from sayso.providers.files.local.measure import Measure, WalkEntry, WalkEvent, access_of, walk
from sayso.providers.files.local.sandbox import (
    Confinement,
    OtherNames,
    OwnedNumbers,
    Spot,
    kind_of,
    open_file,
    open_folder,
)
from sayso.providers.files.model import Free, SameFolder
from sayso.providers.files.paths import bound_entries, content_of, show_name
from sayso.providers.files.store import Content, FolderEntry, FreePlace, Gap, Glance, Item, Listing, Reach


class PathReader:
    """Looks at single paths, given as the model wrote them. Every method may raise `Refused` and `ProviderError`."""

    def __init__(self, confine: Confinement, measure: Measure) -> None:
        self._confine = confine
        self._measure = measure

    def look(self, path: str, reach: Reach) -> Item:
        """Return what is at `path`: a link as a link, and a folder with its whole tree unless `reach` is `home`."""
        real = self._confine.resolve_to_name(path, reach)
        with ExitStack() as stack:
            spot = self.spot(real, path, stack)
            if reach == "home" and self._is_folder(spot):
                return self._folder(spot)
            return self._item(spot, stack)

    def opened(self, path: str, reach: Reach) -> Item:
        """Return what is at `path` with links followed; a folder's tree is not counted."""
        real = self.follow_links(path, reach)
        with ExitStack() as stack:
            spot = self.spot(real, path, stack)
            return self._folder(spot) if self._is_folder(spot) else self._item(spot, stack)

    def exists(self, path: str) -> bool:
        """Return whether something exists at `path`."""
        real = self._confine.resolve_to_name(path)
        with ExitStack() as stack:
            try:
                found = self.spot(real, path, stack).stat()
            except ProviderError:
                return False
            if found is not None:
                kind_of(found, path)
            return found is not None

    def free(self, path: str) -> FreePlace:
        """Return the free place `path` in a folder that exists."""
        real = self._confine.resolve_to_name(path)
        with ExitStack() as stack:
            spot = self.spot(real, path, stack)
            found = spot.stat()
            if found is not None:
                if stat.S_ISLNK(found.st_mode):
                    self.follow_links(path, "roots")
                kind_of(found, path)
                raise errors.path_taken_error(path)
            return self._place(spot)

    def gap(self, path: str) -> Gap | Item:
        real = self.follow_links(path, "roots")
        if self._confine.leads_nowhere(path):
            raise errors.dangling(path)
        root = self._confine.root_of(real).path
        below: list[str] = []
        with ExitStack() as stack:
            while real != root:
                spot = self._nearest(real, path, stack)
                if spot is not None and (found := spot.stat()) is not None:
                    if not stat.S_ISDIR(found.st_mode):
                        kind_of(found, path)
                        raise errors.not_a_folder(path)
                    return self._folder(spot)
                if spot is not None:
                    return Gap(self._place(spot), tuple(below))
                real, _, name = real.rpartition("/")
                below.insert(0, name)
            return self._folder(self.spot(real, path, stack))

    def follow_links(self, path: str, reach: Reach) -> str:
        """Return where `path` leads.

        Raises `Refused` for a link to nothing, because nothing may be created through it.
        """
        real = self._confine.resolve(path, reach)
        if real == self._confine.resolve_to_name(path, reach):
            return real
        with ExitStack() as stack:
            try:
                dangling = self.spot(real, path, stack).stat() is None
            except ProviderError:
                dangling = True
        if dangling:
            raise errors.dangling(path)
        return real

    def spot(self, real: str, said: str, stack: ExitStack) -> Spot:
        """Return the `Spot` for a resolved path; errors show the path as `said`."""
        try:
            spot = self._confine.spot(real, stack)
        except ProviderError as wrong:
            if wrong.code == "path.missing":
                raise self._missing_folder(said) from wrong
            if wrong.code == "path.not_a_folder":
                raise errors.not_a_folder(os.path.dirname(said.rstrip("/"))) from wrong
            raise ProviderError(str(wrong), wrong.code) from wrong
        return Spot(spot.folder, spot.name, spot.path, spot.about, said)

    def _missing_folder(self, said: str) -> ProviderError:
        return errors.no_folder(said, os.path.dirname(said.rstrip("/")))

    def _nearest(self, real: str, said: str, stack: ExitStack) -> Spot | None:
        """Return the `Spot` for `real`, or None if its folder does not exist."""
        try:
            return self.spot(real, said, stack)
        except ProviderError as wrong:
            if wrong.code == "path.no_folder":
                return None
            raise

    def _is_folder(self, spot: Spot) -> bool:
        found = spot.stat()
        return found is not None and stat.S_ISDIR(found.st_mode)

    def _item(self, spot: Spot, stack: ExitStack) -> Item:
        seen = self._measure.see(spot, stack)
        if seen is None:
            raise errors.missing(spot.said)
        tree = seen.tree
        return Item(
            path=spot.path,
            kind="folder" if tree is not None else ("link" if seen.fact.kind == "link" else "file"),
            device=self._confine.device(spot.folder),
            size=seen.fact.size,
            entries=seen.fact.entries,
            mtime_ns=seen.found.st_mtime_ns,
            mode=stat.S_IMODE(seen.found.st_mode),
            links=seen.found.st_nlink,
            fact=seen.whole,
            target=show_name(seen.target),
            denied=tree.denied if tree is not None else (),
        )

    def _folder(self, spot: Spot) -> Item:
        with ExitStack() as stack:
            try:
                opened = os.open(spot.name, FOLDER, dir_fd=spot.folder)
            except OSError as wrong:
                raise in_words(wrong, spot.said) from wrong
            stack.callback(os.close, opened)
            found = os.fstat(opened)
            same: Fact = SameFolder(spot.path, found.st_dev, found.st_ino, access_of(found))
            device, mode = self._confine.device(opened), stat.S_IMODE(found.st_mode)
            return Item(spot.path, "folder", device, 0, 0, found.st_mtime_ns, mode, found.st_nlink, same)

    def _place(self, spot: Spot) -> FreePlace:
        above = os.fstat(spot.folder)
        parent = SameFolder(os.path.dirname(spot.path), above.st_dev, above.st_ino, access_of(above))
        return FreePlace(spot.path, self._confine.device(spot.folder), parent, Free(spot.path))


MOST_VISITED = 200_000
"""A search stops after this many entries, and counts one more as left out."""

_KINDS: Mapping[int, Literal["file", "folder", "link"]] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
}


class FolderReader:
    """Reads files and folders. Every method may raise `Refused` and `ProviderError`."""

    def __init__(self, confine: Confinement, looking: PathReader, clock: Clock) -> None:
        self._confine = confine
        self._looking = looking
        self._clock = clock

    def read(self, path: str, limit: int) -> Content:
        """Return the first `limit` bytes of a file as text."""
        with ExitStack() as stack:
            spot, found = self._at(path, stack)
            if kind_of(found, path) != "file":
                raise errors.not_a_file(path)
            opened = open_file(spot, found, stack)
            with open(opened, "rb", closefd=False) as file:
                data = file.read(max(0, limit))
            total = max(os.fstat(opened).st_size, len(data))
            return content_of(data, total)

    def list(self, path: str, limit: int) -> Listing:
        """Return the entries of a folder, sorted by name."""
        with ExitStack() as stack:
            spot, folder = self._folder(path, stack)
            entries: list[FolderEntry] = []
            omitted = 0
            shown = self._shown(spot)
            for thing in walk(folder, lambda thing: False):
                entry = shown.entry(thing)
                if entry is not None and len(entries) < limit:
                    entries.append(entry)
                else:
                    omitted += 1
            return Listing(tuple(entries), omitted)

    def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what was changed last in a folder, newest first; only the result is checked for protected names."""
        ends = self._clock.monotonic() + seconds
        with ExitStack() as stack:
            spot, folder = self._folder(path, stack)
            newest: tuple[list[_Dated], list[_Dated]] = ([], [])
            marked, whole = False, True
            for name, found in _things(folder):
                if self._clock.monotonic() > ends:
                    whole = False
                    break
                marked = marked or name.casefold() in marks
                if found is None or name.startswith("."):
                    continue
                is_folder = stat.S_ISDIR(found.st_mode)
                if len(newest[is_folder]) < most:
                    heappush(newest[is_folder], (found.st_mtime_ns, name, found))
                else:
                    heappushpop(newest[is_folder], (found.st_mtime_ns, name, found))
                    whole = whole and not is_folder
            shown = self._shown(spot)
            things = [
                WalkEntry(WalkEvent.THING, folder, name, found, [])
                for kind in newest
                for _, name, found in sorted(kind)[::-1]
            ]
            entries = tuple(entry for thing in things if (entry := shown.entry(thing)) is not None)
            return Glance(entries, marked, whole)

    def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in a folder's tree has a name that matches the glob, in the order of paths."""
        like = re.compile(translate(pattern.casefold()))
        with ExitStack() as stack:
            spot, folder = self._folder(path, stack)
            device = os.fstat(folder).st_dev
            entries: list[FolderEntry] = []
            omitted = visited = 0
            shown = self._shown(spot)
            for thing in walk(folder, lambda thing: shown.may_enter(thing, device)):
                if thing.event is WalkEvent.OUT:
                    continue
                visited += 1
                if visited > MOST_VISITED:
                    omitted += 1
                    break
                entry = shown.entry(thing)
                if entry is None:
                    omitted += 1
                elif like.match(thing.name.casefold()):
                    entries.append(entry)
            return bound_entries(entries, omitted, limit)

    def _shown(self, spot: Spot) -> "_Shown":
        confine = self._confine
        mounts = confine.mounts_below(spot.path)
        return _Shown(spot.path, confine.owned.numbers(), confine.other_names(spot.path), mounts)

    def _at(self, path: str, stack: ExitStack) -> tuple[Spot, os.stat_result]:
        spot = self._looking.spot(self._looking.follow_links(path, "roots"), path, stack)
        found = spot.stat()
        if found is None:
            raise errors.missing(path)
        self._confine.owned.numbers().refuse(found, path)
        return spot, found

    def _folder(self, path: str, stack: ExitStack) -> tuple[Spot, int]:
        spot, found = self._at(path, stack)
        if kind_of(found, path) != "folder":
            raise errors.not_a_folder(path)
        return spot, open_folder(spot, found, stack)


_Dated = tuple[int, str, os.stat_result]


def _things(folder: int) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield each name in an open folder, in the folder's own order, with its status, or None if it has just gone."""
    with os.scandir(folder) as things:
        for thing in things:
            found = None
            with suppress(OSError):
                found = thing.stat(follow_symlinks=False)
            yield thing.name, found


class _Shown(Struct, frozen=True):
    """What in one folder's tree may be shown."""

    above: str
    own: OwnedNumbers
    names: OtherNames | None
    mounts: Mapping[str, bool]
    """The mount points below the folder, and whether each is another name of a protected place; none is entered."""

    def may_enter(self, thing: WalkEntry, device: int) -> bool:
        """Return whether a folder may be entered."""
        readable = os.access(thing.name, os.R_OK | os.X_OK, dir_fd=thing.folder, effective_ids=True)
        other = bool(self.mounts) and f"{self.above}/{thing.path}" in self.mounts
        return readable and not other and thing.found.st_dev == device and self._shows(thing)

    def entry(self, thing: WalkEntry) -> FolderEntry | None:
        """Return the entry for a thing; None when it may not be shown or is no file, folder or link."""
        kind = _KINDS.get(stat.S_IFMT(thing.found.st_mode))
        if kind is None or not self._shows(thing):
            return None
        shown, path = show_name(thing.name), show_name(f"{self.above}/{thing.path}")
        size = thing.found.st_size if stat.S_ISREG(thing.found.st_mode) else 0
        return FolderEntry(path, shown, kind, size, thing.found.st_mtime_ns, flagged=shown != thing.name)

    def _shows(self, thing: WalkEntry) -> bool:
        """Return whether the thing has no protected name and does not belong to sayso."""
        last = f"{self.above}/{thing.path}".split("/")[-4:]
        if find_denied_name("/".join(last)) is not None or self.own.has(thing.found):
            return False
        if self.mounts and self.mounts.get(f"{self.above}/{thing.path}"):
            return False
        return self.names is None or self.names.denied(thing.path) is None
