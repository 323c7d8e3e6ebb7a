"""Build the files store of this machine from its parts."""

import os
from collections.abc import Mapping
from datetime import timedelta
from functools import partial

import anyio.to_thread

from sayso.core.encoding import Json
from sayso.core.plan import Facts, Left, Ref, Settled
from sayso.core.ports import Ground
from sayso.providers.disk.syscalls import Beneath, beneath
from sayso.providers.files.local.measure import Measure
from sayso.providers.files.local.reads import LocalFiles
from sayso.providers.files.local.sandbox import Confinement, Owned
from sayso.providers.files.local.settle import settle
from sayso.providers.files.local.steps import apply
from sayso.providers.files.local.transaction import Bench, Modes
from sayso.providers.files.local.trash import Trashes
from sayso.providers.files.local.undo_store import KeptPlaces, prune
from sayso.providers.files.model import Steps
from sayso.providers.files.overlay import imagine
from sayso.providers.files.store import Files

_KEEP_SECONDS = 90 * 86400
_KEEP_BYTES = 2 * 2**30


def build(ground: Ground) -> "LocalBackend":
    """Return the backend on this disk, with the surest way of opening that the kernel offers."""
    return LocalBackend(ground, beneath())


class LocalBackend:
    """Carries steps out on this disk."""

    name = "local"
    imagines = True
    note = ""

    def __init__(self, ground: Ground, way: Beneath) -> None:
        self._confine = Confinement(ground.home, Owned(ground.own, ground.also_own), ground.roots, way)
        measure = Measure(self._confine)
        trashes = Trashes(ground.home, ground.clock, ground.ids)
        keep = _number(ground.options, "undo_keep_seconds", _KEEP_SECONDS)
        self._kept = KeptPlaces(self._confine, ground.clock)
        self._keep = timedelta(seconds=keep)
        self._keep_bytes = _number(ground.options, "undo_bytes", _KEEP_BYTES)
        self._bench = Bench(self._confine, measure, self._kept, trashes, _modes(), ground.kill, keep)
        self.reads = LocalFiles(ground, self._confine, measure, trashes)

    async def apply(self, step: Steps, expects: Facts) -> Left:
        """Do `step` if `expects` still holds, checked in the act. Raises `ProviderError`, `Refused`, `Uncertain`."""
        return await anyio.to_thread.run_sync(partial(apply, self._bench, step, expects))

    async def settle(self, step: Steps, expects: Facts) -> Settled:
        """Ask the disk whether `step`, which had begun when its process died, was done. Starts nothing."""
        return await anyio.to_thread.run_sync(partial(settle, self._bench, step, expects))

    def imagine(self, seen: Files, step: Steps, ref: Ref) -> Files:
        """Return reads in which `step` has been done."""
        return imagine(seen, step, ref)

    def prune(self) -> int:
        """Give up what was kept too long or takes too much room; return how many things. Hold the store's lock."""
        return prune(self._kept, self._keep, self._keep_bytes)

    def close(self) -> None:
        """Let go of the roots; also done by itself when nobody uses the backend any more."""
        self._confine.close()


def _number(options: Mapping[str, Json], name: str, default: int) -> int:
    given = options.get(name, default)
    return given if isinstance(given, int) else default


def _modes() -> Modes:
    """Return the modes of new things under the mask of now (TO-05)."""
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
    # Elsewhere the mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
