"""The Trash of a Mac: macOS moves things into it, and sayso moves them back."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import anyio.from_thread
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.ports import BackendContext, Clock, Ids, KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import beneath
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.local.measure import FileSnapshot
from sayso.providers.files.local.sandbox import Spot, mount_of, same, top_of
from sayso.providers.files.local.transaction import carry
from sayso.providers.files.local.trash import OpenTrash, Trashes, TrashFolder, nearest
from sayso.providers.macos.engine import ScriptEngine, build_engine


class MacTrashes(Trashes):
    """The Trash at the person's home, and those of other volumes; they have no folders within."""

    def __init__(self, home: str, clock: Clock, ids: Ids) -> None:
        super().__init__(home, clock, ids)
        self._home = os.path.realpath(f"{home}/.Trash")

    def open(self, entry: str, near: Spot, stack: ExitStack, *, create: bool) -> tuple[OpenTrash, Spot] | None:
        """Return the Trash of `entry` and the entry's `Spot`, as on any disk.

        macOS lets a program look into the Trash only with full disk access. Without it, a thing can still be moved into
        the Trash (`create`), and moving it back raises `ProviderError`.
        """
        try:
            return self._open(entry, near, stack, create=create)
        except PermissionError:
            if not create:
                raise ProviderError(
                    "macOS does not let sayso take things out of the Trash; in System Settings > Privacy & Security > "
                    "Full Disk Access, turn on the program that you started sayso from, such as Terminal, or use Put "
                    f"Back in Finder for {quoted(os.path.basename(entry))}",
                    "trash.not_permitted",
                ) from None
        folder = TrashFolder(os.path.dirname(entry), "", flat=True)
        closed = OpenTrash(folder, UNOPENED, UNOPENED)
        return closed, closed.entry(os.path.basename(entry), near.said)

    def _open(self, entry: str, near: Spot, stack: ExitStack, *, create: bool) -> tuple[OpenTrash, Spot] | None:
        return super().open(entry, near, stack, create=create)

    def _candidates(self, spot: Spot) -> Iterator[TrashFolder]:
        mount = mount_of(spot.folder)
        with ExitStack() as stack:
            at_home = mount_of(nearest(self._home, stack)) == mount
        if at_home:
            yield TrashFolder(self._home, "", flat=True)
            return
        top = top_of(spot.path, spot.folder)
        yield TrashFolder(f"{top.rstrip('/')}/.Trashes/{os.geteuid()}", top, flat=True)


UNOPENED = -1
"""Stands for the descriptor of a Trash that macOS does not let sayso open."""


class _Trashed(Struct, frozen=True):
    path: str | None
    why: str = ""


class MacTrash:
    """Has macOS move things to the Trash, so that its Put Back knows the folder that they came from."""

    def __init__(self, engine: ScriptEngine) -> None:
        self._engine = engine

    def put_in(self, seen: FileSnapshot, source: Spot, target: Spot, kill: KillPoint) -> None:
        """Move what was seen at `source` to `target` in the Trash; raises like `carry`.

        macOS chooses the name in the Trash, and takes a path that another program could have changed. So the thing
        first gets the unguessable name of `target` beside `source`, by a rename that is checked, and keeps it.
        """
        aside = os.path.join(os.path.dirname(source.path), target.name)
        beside = replace(source, name=target.name, path=aside, about=aside, unguessed=True)
        carry(seen, source, beside, kill)
        try:
            run = partial(self._engine.run_script, "trash", {"path": aside}, app="the Trash", changes=True)
            done = msgspec.convert(anyio.from_thread.run(run), _Trashed)
        except SaysoError as error:
            done, wrong = _Trashed(None, str(error)), error
        else:
            wrong = None
        if done.path is not None and os.path.realpath(done.path) == target.path:
            return
        if not same(beside.stat(), seen.found):
            at = done.path or "the Trash"
            raise Uncertain(
                f"{quoted(source.said)} was moved to {quoted(at)}; look at it", "trash.elsewhere"
            ) from wrong
        carry(seen, beside, source, no_kill_point)
        raise ProviderError(
            f"macOS did not move {quoted(source.said)} to the Trash: {quoted(done.why)}", "trash.refused"
        ) from wrong


def build(context: BackendContext) -> LocalBackend:
    """Return the backend for the disk of this Mac."""
    trashes = MacTrashes(context.home, context.clock, context.ids)
    backend = LocalBackend(context, beneath(), trashes, MacTrash(build_engine(context)).put_in)
    backend.name = "macos"
    return backend
