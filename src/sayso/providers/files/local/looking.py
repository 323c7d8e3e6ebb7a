"""Look at one path of this disk: what stands there, whether it is free, what is missing on the way to it."""

import os
import stat
from contextlib import ExitStack

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Fact
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.disk.wrong import in_words
from sayso.providers.files import trouble
from sayso.providers.files.facts import Free, SameFolder
from sayso.providers.files.local.confine import Confinement
from sayso.providers.files.local.measure import Measure
from sayso.providers.files.local.spot import Spot, kind_of
from sayso.providers.files.store import Gap, Item, Place, Reach


class Looking:
    """Looks at paths as they were said; every method may raise `Refused` and `ProviderError`."""

    def __init__(self, confine: Confinement, measure: Measure) -> None:
        self._confine = confine
        self._measure = measure

    def look(self, path: str, reach: Reach) -> Item:
        """Return what stands at `path`, a link as a link, a folder with its whole tree."""
        real = self._confine.resolve_to_name(path, reach)
        with ExitStack() as stack:
            spot = self.spot(real, path, stack)
            if reach == "home" and self._is_folder(spot):
                return self._folder(spot)
            return self._item(spot, stack)

    def opened(self, path: str, reach: Reach) -> Item:
        """Return what stands at `path` with links followed; a folder's tree is not counted."""
        real = self.followed(path, reach)
        with ExitStack() as stack:
            spot = self.spot(real, path, stack)
            return self._folder(spot) if self._is_folder(spot) else self._item(spot, stack)

    def exists(self, path: str) -> bool:
        """Say whether something stands at `path`."""
        real = self._confine.resolve_to_name(path)
        with ExitStack() as stack:
            try:
                found = self.spot(real, path, stack).stat()
            except ProviderError:
                return False
            if found is not None:
                kind_of(found, path)
            return found is not None

    def free(self, path: str) -> Place:
        """Return the free place `path` in a folder that exists."""
        real = self._confine.resolve_to_name(path)
        with ExitStack() as stack:
            spot = self.spot(real, path, stack)
            found = spot.stat()
            if found is not None:
                if stat.S_ISLNK(found.st_mode):
                    self.followed(path, "roots")
                kind_of(found, path)
                raise trouble.taken(path)
            return self._place(spot)

    def gap(self, path: str) -> Gap | Item:
        """Return what is missing on the way to the folder `path`, or the folder when it is there."""
        real = self.followed(path, "roots")
        if self._confine.leads_nowhere(path):
            raise _dangling(path)
        root = self._confine.root_of(real).path
        below: list[str] = []
        with ExitStack() as stack:
            while real != root:
                spot = self._nearest(real, path, stack)
                if spot is not None and (found := spot.stat()) is not None:
                    if not stat.S_ISDIR(found.st_mode):
                        kind_of(found, path)
                        raise trouble.not_a_folder(path)
                    return self._folder(spot)
                if spot is not None:
                    return Gap(self._place(spot), tuple(below))
                real, _, name = real.rpartition("/")
                below.insert(0, name)
            return self._folder(self.spot(real, path, stack))

    def followed(self, path: str, reach: Reach) -> str:
        """Return where `path` leads. A link that leads to nothing is refused: nothing may be made through it."""
        real = self._confine.resolve(path, reach)
        if real == self._confine.resolve_to_name(path, reach):
            return real
        with ExitStack() as stack:
            try:
                dangling = self.spot(real, path, stack).stat() is None
            except ProviderError:
                dangling = True
        if dangling:
            raise _dangling(path)
        return real

    def spot(self, real: str, said: str, stack: ExitStack) -> Spot:
        """Return the place at a resolved path, called as the person called it."""
        try:
            spot = self._confine.spot(real, stack)
        except ProviderError as wrong:
            if wrong.code == "path.missing":
                raise self._missing_folder(said) from wrong
            if wrong.code == "path.not_a_folder":
                raise trouble.not_a_folder(os.path.dirname(said.rstrip("/"))) from wrong
            raise ProviderError(str(wrong), wrong.code) from wrong
        return Spot(spot.folder, spot.name, spot.path, spot.about, said)

    def _missing_folder(self, said: str) -> ProviderError:
        return trouble.no_folder(said, os.path.dirname(said.rstrip("/")))

    def _nearest(self, real: str, said: str, stack: ExitStack) -> Spot | None:
        """Return the place at `real` if the folder it would stand in is there."""
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
            raise trouble.missing(spot.said)
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
            fact=seen.fact,
            target=_shown(seen.target),
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
            same: Fact = SameFolder(spot.path, found.st_dev, found.st_ino)
            device, mode = self._confine.device(opened), stat.S_IMODE(found.st_mode)
            return Item(spot.path, "folder", device, 0, 0, found.st_mtime_ns, mode, found.st_nlink, same)

    def _place(self, spot: Spot) -> Place:
        above = os.fstat(spot.folder)
        parent = SameFolder(os.path.dirname(spot.path), above.st_dev, above.st_ino)
        return Place(spot.path, self._confine.device(spot.folder), parent, Free(spot.path))


def _dangling(said: str) -> Refused:
    return Refused(f"“{said}” leads through a link to nothing; nothing is made through it", "path.dangling")


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")
