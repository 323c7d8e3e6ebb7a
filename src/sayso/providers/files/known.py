"""What has been seen of the real world while a batch is planned: asked once, remembered, never changed."""

import posixpath
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.values import dataclass
from sayso.providers.files.store import Entry, Files, Item, Listing, Place

T = TypeVar("T")

WHOLE = 100_000
"""Entries of a folder that are looked at to say what it would hold."""


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a folder's tree holds."""

    entries: int = 0
    size: int = 0
    denied: tuple[str, ...] = ()


class Known:
    """The real reads, with answers remembered by real path.

    A plan stands on one view of the world; that the world is still so is found out by what the plan
    expects, when it is done.
    """

    def __init__(self, real: Files) -> None:
        self.real = real
        self.tried: dict[str, int] = {}
        """How many names for a Trash entry were tried already, by the first one."""
        self.weights: dict[int, tuple[object, Weight]] = {}
        """How much touched folders hold, by the number of the value that stands for them."""
        self._name = "." + real.token()
        self._folders: dict[str, Place | SaysoError] = {}
        self._items: dict[str, Item | ProviderError] = {}
        self._listings: dict[str, Listing] = {}

    async def folder(self, path: str) -> Place | None:
        """Return a place in the folder `path`, links followed; None when there is no folder. Refusals are raised."""
        found = self._folders.get(path)
        if found is None:
            try:
                # A name that nothing has: asking for its place is the cheap way to ask about its folder.
                found = await self.real.free(posixpath.join(path, self._name))
            except (ProviderError, Refused) as problem:
                found = problem
            self._folders[path] = found
        if isinstance(found, Refused):
            raise Refused(str(found), found.code, found.rule)
        return found if isinstance(found, Place) else None

    async def item(self, path: str, said: str) -> Item:
        """Return what stands at `path`; problems name it as it was said."""
        found = self._items.get(path)
        if found is None:
            try:
                found = await asked(self.real.look, path, said)
            except ProviderError as problem:
                found = problem
            self._items[path] = found
        if isinstance(found, Item):
            return found
        raise ProviderError(str(found), found.code)

    async def item_or_none(self, path: str) -> Item | None:
        """Return what stands at `path`, or None when nothing does."""
        try:
            return await self.item(path, path)
        except ProviderError:
            return None

    async def listing(self, folder: str, said: str) -> Listing:
        """Return what the folder holds."""
        if folder not in self._listings:
            self._listings[folder] = await asked(lambda path: self.real.list(path, WHOLE), folder, said)
        return self._listings[folder]

    async def entry(self, path: str) -> Entry | None:
        """Return how a listing shows what stands at `path`; None when it leaves it out."""
        listing = await self.listing(posixpath.dirname(path), path)
        name = shown(posixpath.basename(path))
        return next((entry for entry in listing.entries if entry.name == name), None)


async def asked(read: Callable[[str], Awaitable[T]], path: str, said: str) -> T:
    """Ask the real world about `path`; a problem names it as it was said."""
    try:
        return await read(path)
    except SaysoError as problem:
        problem.args = (str(problem).replace(f"“{path}”", f"“{said}”"),)
        raise


def shown(name: str) -> str:
    r"""Return a name with bytes that are no UTF-8 written as `\xNN`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
