"""Read what folders and files hold: lists, searches and text, all of them bounded."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from fnmatch import translate
from heapq import heappush, heappushpop
from typing import Literal

from sayso.core.ports import Clock
from sayso.policy.paths import denied_name
from sayso.providers.files import trouble
from sayso.providers.files.local.confine import Confinement
from sayso.providers.files.local.looking import Looking
from sayso.providers.files.local.owned import Numbers
from sayso.providers.files.local.spot import Spot, kind_of, open_file, open_folder
from sayso.providers.files.local.walk import Met, Way, walk
from sayso.providers.files.store import Content, Entry, Glance, Listing

MOST_VISITED = 200_000
"""A search stops after looking at so many things; what it did not come to counts as left out."""


_KINDS: Mapping[int, Literal["file", "folder", "link"]] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
}


class Lists:
    """Reads of one confinement; every method may raise `Refused` and `ProviderError`."""

    def __init__(self, confine: Confinement, looking: Looking, clock: Clock) -> None:
        self._confine = confine
        self._looking = looking
        self._clock = clock

    def read(self, path: str, limit: int) -> Content:
        """Return the first `limit` bytes of a file as text."""
        with ExitStack() as stack:
            spot, found = self._at(path, stack)
            if kind_of(found, path) != "file":
                raise trouble.not_a_file(path)
            opened = open_file(spot, found, stack)
            with open(opened, "rb", closefd=False) as file:
                data = file.read(max(0, limit))
            total = max(os.fstat(opened).st_size, len(data))
            text, whole = _text(data, cut=total > len(data))
            return Content(text, total, exact=whole and len(data) == total)

    def list(self, path: str, limit: int) -> Listing:
        """Return the entries of a folder by name."""
        with ExitStack() as stack:
            spot, folder = self._folder(path, stack)
            entries: list[Entry] = []
            omitted = 0
            own = self._confine.owned.numbers()
            for met in walk(folder, lambda met: False):
                entry = _entry(met, spot.path, own)
                if entry is not None and len(entries) < limit:
                    entries.append(entry)
                else:
                    omitted += 1
            return Listing(tuple(entries), omitted)

    def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what of a folder was changed last, newest first; a name is judged only where it is told."""
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
            own = self._confine.owned.numbers()
            mets = [Met(Way.THING, folder, name, found, []) for kind in newest for _, name, found in sorted(kind)[::-1]]
            entries = tuple(entry for met in mets if (entry := _entry(met, spot.path, own)) is not None)
            return Glance(entries, marked, whole)

    def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in the tree has a name like the glob, by path."""
        like = re.compile(translate(pattern.casefold()))
        with ExitStack() as stack:
            spot, folder = self._folder(path, stack)
            device = os.fstat(folder).st_dev
            entries: list[Entry] = []
            omitted = visited = 0
            own = self._confine.owned.numbers()
            for met in walk(folder, lambda met: _may_enter(met, spot.path, device, own)):
                if met.way is Way.OUT:
                    continue
                visited += 1
                if visited > MOST_VISITED:
                    omitted += 1
                    break
                entry = _entry(met, spot.path, own)
                if entry is None:
                    omitted += 1
                elif like.match(met.name.casefold()):
                    entries.append(entry)
            found = sorted(entries, key=lambda entry: entry.path.split("/"))
            return Listing(tuple(found[:limit]), omitted + len(found[limit:]))

    def _at(self, path: str, stack: ExitStack) -> tuple[Spot, os.stat_result]:
        spot = self._looking.spot(self._looking.followed(path, "roots"), path, stack)
        found = spot.stat()
        if found is None:
            raise trouble.missing(path)
        if self._confine.owned.numbers().has(found):
            raise trouble.own(path)
        return spot, found

    def _folder(self, path: str, stack: ExitStack) -> tuple[Spot, int]:
        spot, found = self._at(path, stack)
        if kind_of(found, path) != "folder":
            raise trouble.not_a_folder(path)
        return spot, open_folder(spot, found, stack)


_Dated = tuple[int, str, os.stat_result]


def _things(folder: int) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield each name in an open folder, in the folder's own order, and what it is; None for what has just gone."""
    with os.scandir(folder) as things:
        for thing in things:
            found = None
            with suppress(OSError):
                found = thing.stat(follow_symlinks=False)
            yield thing.name, found


def _may_enter(met: Met, above: str, device: int, own: Numbers) -> bool:
    readable = os.access(met.name, os.R_OK | os.X_OK, dir_fd=met.folder, effective_ids=True)
    return readable and met.found.st_dev == device and _shows(met, above, own)


def _shows(met: Met, above: str, own: Numbers) -> bool:
    """Say whether a read may name it."""
    last = f"{above}/{met.path}".split("/")[-4:]
    return denied_name("/".join(last)) is None and not own.has(met.found)


def _entry(met: Met, above: str, own: Numbers) -> Entry | None:
    """Return what is shown of it; None for what no read shows."""
    kind = _KINDS.get(stat.S_IFMT(met.found.st_mode))
    if kind is None or not _shows(met, above, own):
        return None
    shown = os.fsencode(met.name).decode("utf-8", "backslashreplace")
    path = os.fsencode(f"{above}/{met.path}").decode("utf-8", "backslashreplace")
    size = met.found.st_size if stat.S_ISREG(met.found.st_mode) else 0
    return Entry(path, shown, kind, size, met.found.st_mtime_ns, flagged=shown != met.name)


def _text(data: bytes, *, cut: bool) -> tuple[str, bool]:
    """Return the text of these bytes and whether all of them are UTF-8; a character cut at the end is left out."""
    try:
        return data.decode(), True
    except UnicodeDecodeError as wrong:
        if cut and wrong.end == len(data) and wrong.reason == "unexpected end of data":
            return data[: wrong.start].decode(), True
        return data.decode("utf-8", "replace"), False
