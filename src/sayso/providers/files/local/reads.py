"""The reads of the files store on the real disk, each in a thread of its own so that a slow disk holds up nobody."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Literal, TypeVar

import anyio.to_thread

from sayso.core.errors import SaysoError
from sayso.core.ports import Ground
from sayso.providers.disk.errors import in_words
from sayso.providers.files.local.inspect import Lists, Looking
from sayso.providers.files.local.measure import Measure
from sayso.providers.files.local.sandbox import Confinement
from sayso.providers.files.local.trash import Trashes
from sayso.providers.files.store import Content, Gap, Glance, Item, Listing, Place, Reach

T = TypeVar("T")


class LocalFiles:
    """Looks at the disk and changes nothing."""

    def __init__(self, ground: Ground, confine: Confinement, measure: Measure, trashes: Trashes) -> None:
        self._ground = ground
        self._confine = confine
        self._looking = Looking(confine, measure)
        self._lists = Lists(confine, self._looking, ground.clock)
        self._trashes = trashes

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path`; a link itself is described, not what it points to."""
        return await _asked(self._looking.look, path, reach)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path` with links followed."""
        return await _asked(self._looking.opened, path, reach)

    async def exists(self, path: str) -> bool:
        """Say whether something stands at `path`."""
        return await _asked(self._looking.exists, path)

    async def free(self, path: str) -> Place:
        """Return the free place `path`."""
        return await _asked(self._looking.free, path)

    async def gap(self, path: str) -> Gap | Item:
        """Return what is missing on the way to the folder `path`, or the folder when it is there."""
        return await _asked(self._looking.gap, path)

    async def read(self, path: str, limit: int) -> Content:
        """Return at most `limit` bytes of a file's start as text."""
        return await _asked(self._lists.read, path, limit)

    async def list(self, path: str, limit: int) -> Listing:
        """Return what a folder holds, one level."""
        return await _asked(self._lists.list, path, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in the folder's tree has a name like the glob `pattern`."""
        return await _asked(self._lists.find, path, pattern, limit)

    async def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what of a folder was changed last; whoever waits no longer leaves the disk to itself."""
        return await _asked(self._lists.glance, path, marks, most, seconds, abandons=True)

    async def trash_entry(self, item: Item) -> str | None:
        """Return the name under which the Trash would take `item`; None where no Trash serves its file system."""
        return await _asked(self._entry, item.path)

    def token(self) -> str:
        """Return a new name for a kept place."""
        return self._ground.ids.token()

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting of T-19."""
        return "error" if self._ground.options.get("append_missing") == "error" else "create"

    def _entry(self, path: str) -> str | None:
        with ExitStack() as stack:
            return self._trashes.entry_for(self._confine.spot(self._confine.planned(path), stack))


async def _asked(look: Callable[..., T], path: str, *more: Any, abandons: bool = False) -> T:
    def ask() -> T:
        try:
            return look(path, *more)
        except OSError as wrong:
            problem: SaysoError = in_words(wrong, path)
            raise problem from wrong

    return await anyio.to_thread.run_sync(ask, abandon_on_cancel=abandons)
