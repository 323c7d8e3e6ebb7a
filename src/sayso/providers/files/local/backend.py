"""The backend for the disk of this computer; all its methods that use the disk run in threads."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from typing import Any, Literal, TypeVar

import anyio.to_thread

from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.plan import Applied, ChangeRef, Facts, Settlement
from sayso.core.ports import BackendContext, TreeSurvey
from sayso.policy.paths import normal
from sayso.providers.disk.denied_places import DeniedPlaces
from sayso.providers.disk.syscalls import Beneath, beneath, in_words
from sayso.providers.files.local.inspect import FolderReader, PathReader
from sayso.providers.files.local.measure import Measure
from sayso.providers.files.local.sandbox import Confinement, OwnedFolders
from sayso.providers.files.local.steps import apply, check
from sayso.providers.files.local.transaction import IntoTrash, Modes, Workspace, carry
from sayso.providers.files.local.trash import Trashes
from sayso.providers.files.local.undo_store import UndoStore, prune
from sayso.providers.files.model import SameContent, Steps, Unchanged
from sayso.providers.files.store import Content, Files, FreePlace, Gap, Glance, Item, Listing, Reach

T = TypeVar("T")
_SNAPSHOTS = "sayso.providers.files.local.snapshots"


class LocalFiles:
    """Looks at the disk; every method that uses the disk runs in a thread."""

    def __init__(self, context: BackendContext, confine: Confinement, measure: Measure, trashes: Trashes) -> None:
        self._context = context
        self._confine = confine
        self._looking = PathReader(confine, measure)
        self._lists = FolderReader(confine, self._looking, context.clock)
        self._trashes = trashes

    def literal_path(self, path: str) -> str:
        """Return `path` as absolute, with no link followed."""
        return normal(path, self._context.home)

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        return await _run_look(self._looking.look, path, reach)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what is at `path` with links followed."""
        return await _run_look(self._looking.opened, path, reach)

    async def exists(self, path: str) -> bool:
        """Return whether something exists at `path`."""
        return await _run_look(self._looking.exists, path)

    async def free(self, path: str) -> FreePlace:
        """Return the free place `path`."""
        return await _run_look(self._looking.free, path)

    async def gap(self, path: str) -> Gap | Item:
        return await _run_look(self._looking.gap, path)

    async def read(self, path: str, limit: int) -> Content:
        return await _run_look(self._lists.read, path, limit)

    async def list(self, path: str, limit: int) -> Listing:
        return await _run_look(self._lists.list, path, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        return await _run_look(self._lists.find, path, pattern, limit)

    async def glance(self, path: str, marks: frozenset[str], most: int, seconds: float) -> Glance:
        """Return what was changed last in a folder; the thread goes on if the caller stops waiting."""
        return await _run_look(self._lists.glance, path, marks, most, seconds, abandons=True)

    async def trash_entry(self, item: Item) -> str | None:
        return await _run_look(self._entry, item.path)

    def token(self) -> str:
        return self._context.ids.token()

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting for appending to a missing file (T-19)."""
        return "error" if self._context.options.get("append_missing") == "error" else "create"

    def _entry(self, path: str) -> str | None:
        with ExitStack() as stack:
            return self._trashes.entry_for(self._confine.spot(self._confine.admit_planned(path), stack))


async def _run_look(look: Callable[..., T], path: str, *more: Any, abandons: bool = False) -> T:
    def ask() -> T:
        try:
            return look(path, *more)
        except OSError as wrong:
            problem: SaysoError = in_words(wrong, path)
            raise problem from wrong

    return await anyio.to_thread.run_sync(ask, abandon_on_cancel=abandons)


_KEEP_SECONDS = 90 * 86400
_KEEP_BYTES = 2 * 2**30


def build(context: BackendContext) -> "LocalBackend":
    """Return the backend on this disk; it opens folders by the safest call that the kernel offers."""
    return LocalBackend(context, beneath())


class LocalBackend:
    """Does steps on this disk."""

    name = "local"
    imagines = True
    note = ""

    def __init__(
        self, context: BackendContext, way: Beneath, trashes: Trashes | None = None, into_trash: IntoTrash = carry
    ) -> None:
        owned = OwnedFolders(context.own, context.also_own, DeniedPlaces(os.path.realpath(context.home)))
        self._confine = Confinement(context.home, owned, context.roots, way)
        measure = Measure(self._confine)
        trashes = trashes or Trashes(context.home, context.clock, context.ids)
        keep = _number(context.options, "undo_keep_seconds", _KEEP_SECONDS)
        self._kept = UndoStore(self._confine, context.clock)
        self._keep = timedelta(seconds=keep)
        self._clock = context.clock
        self._keep_bytes = _number(context.options, "undo_bytes", _KEEP_BYTES)
        self._workspace = Workspace(
            self._confine, measure, self._kept, trashes, _modes(), context.kill, keep, into_trash
        )
        self.reads = LocalFiles(context, self._confine, measure, trashes)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        return await anyio.to_thread.run_sync(partial(apply, self._workspace, step, expects))

    async def check(self, expects: Facts) -> None:
        await anyio.to_thread.run_sync(partial(check, self._workspace, expects))

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        settle = load("sayso.providers.files.local.settle:settle")
        return await anyio.to_thread.run_sync(partial(settle, self._workspace, step, expects))

    def imagine(self, seen: Files, step: Steps, ref: ChangeRef) -> Files:
        """Return a view of the files as they would be after `step`."""
        return load("sayso.providers.files.overlay:imagine")(seen, step, ref)

    async def keep_copy(self, path: str, token: str) -> Unchanged:
        """Keep a copy of the file at `path` under `token`, before another program changes it."""
        return await _run_look(partial(load(f"{_SNAPSHOTS}:keep_copy"), self._workspace), path, token)

    async def kept_copy(self, path: str, token: str) -> Unchanged | None:
        """Return the fact about what is kept of `path` under `token`, or None."""
        return await _run_look(partial(load(f"{_SNAPSHOTS}:kept_copy"), self._workspace), path, token)

    async def content_at(self, path: str) -> SameContent | None:
        """Return the fact about the content of the file at `path`, or None."""
        return await _run_look(partial(load(f"{_SNAPSHOTS}:content_at"), self._workspace), path)

    async def survey(self, path: str, *, keep: bool) -> TreeSurvey:
        """Return what is in the tree of a folder; with `keep`, small files are copied first."""
        return await _run_look(
            partial(load(f"{_SNAPSHOTS}:survey"), self._workspace, keep=keep, clock=self._clock),
            path,
        )

    def prune(self) -> int:
        """Remove from the undo store what was kept too long or takes too much space; return how many things went.

        The caller must hold the store's lock.
        """
        return prune(self._kept, self._keep, self._keep_bytes)

    def close(self) -> None:
        """Close the roots, which also happens when the backend is garbage collected."""
        self._confine.close()


def _number(options: Mapping[str, Json], name: str, default: int) -> int:
    given = options.get(name, default)
    return given if isinstance(given, int) else default


def _modes() -> Modes:
    """Return the modes of new files and folders under the current umask (TO-05)."""
    mask = _mask()
    return Modes(0o666 & ~mask, 0o777 & ~mask)


def _mask() -> int:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("Umask:"):
                    return int(line.split()[1], 8)
    except OSError:
        pass
    # Without this file, the umask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
