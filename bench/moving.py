"""The work of a confined move that replaces nothing, against the bare calls of the kernel."""

import ctypes
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import anyio

from bench.deed import two_places
from bench.line import Gap, Line
from bench.size import Size
from bench.timing import in_turns, times
from sayso.core.ports import BackendContext, no_kill_point
from sayso.providers.disk.syscalls import beneath, openat2, rename_to_free
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.local.sandbox import Confinement, OwnedFolders
from sayso.providers.files.model import Rename
from sayso.testing.fakes import FakeClock, NumberedIds

AT_ONCE, STEPS = 400, 40
OPENAT2, RENAMEAT2 = 437, 316
FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NO_LINKS_BENEATH, NO_REPLACE = 0x02 | 0x04 | 0x08, 1


class How(ctypes.Structure):
    """What openat2 takes."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def measured(size: Size) -> list[Line | Gap]:
    """Measure moves to and fro between two folders of an open root."""
    if beneath() is not openat2 or os.uname().machine != "x86_64":
        return [Gap("a confined move against bare calls", "this kernel offers no openat2")]
    folder = Path(size.folder("move")) / "Documents"
    places = two_places(folder)
    own = Path(size.folder("own"))
    (own / "sayso.db").touch()
    confine = Confinement(str(folder.parent), OwnedFolders(str(own), ()), [str(folder)], beneath())
    backend = LocalBackend(
        BackendContext({}, str(folder.parent), str(own), (str(folder),), FakeClock(), NumberedIds()), beneath()
    )
    root = os.open(folder, FLAGS)
    try:
        sides = {"ours": _ours(confine, places), "raw": _raw(root, places, folder)}
        took = in_turns({**sides, "step": lambda: anyio.run(_whole_step, backend, places)}, size.rounds)
    finally:
        os.close(root)
        confine.close()
        backend.close()
    step = times(took, "step", "raw") * AT_ONCE / STEPS
    micro = {name: 1e6 * sorted(all_of)[len(all_of) // 2] / AT_ONCE for name, all_of in took.items()}
    return [
        Line(
            "work of a confined move, against openat2 and renameat2",
            times(took, "ours", "raw"),
            1.5,
            floor="the root, sayso's own files and the folders above are looked at too, each by a call of the kernel",
            beside=f"{micro['ours']:.1f} µs against {micro['raw']:.1f} µs; "
            f"the whole step, with its facts, its thread and two folders brought to the disk: {step:.1f} ×",
        )
    ]


def _ours(confine: Confinement, places: list[Path]) -> Callable[[], None]:
    pair = [str(place) for place in places]

    def work() -> None:
        for _ in range(AT_ONCE // 2):
            for source, destination in (pair, pair[::-1]):
                with ExitStack() as stack:
                    one = confine.spot(confine.admit_planned(source), stack)
                    other = confine.spot(confine.admit_planned(destination), stack)
                    rename_to_free(one.folder, one.name, other.folder, other.name)
                    no_kill_point("renamed")

    return work


async def _whole_step(backend: LocalBackend, places: list[Path]) -> None:
    pair = [str(place) for place in places]
    for _ in range(STEPS // 2):
        for source, destination in (pair, pair[::-1]):
            await backend.apply(Rename(source, destination), ())


def _raw(root: int, places: list[Path], folder: Path) -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p)  # as sayso does, which makes calls cheaper
    how = How(FLAGS, 0, NO_LINKS_BENEATH)
    ends = [(os.fsencode(place.parent.relative_to(folder)), os.fsencode(place.name)) for place in places]

    def opened(path: bytes) -> int:
        found = libc.syscall(OPENAT2, root, path, ctypes.byref(how), ctypes.sizeof(how))
        if found < 0:
            raise OSError(ctypes.get_errno(), "openat2")
        return int(found)

    def work() -> None:
        for _ in range(AT_ONCE // 2):
            for (from_folder, name), (to_folder, new_name) in (ends, ends[::-1]):
                one, other = opened(from_folder), opened(to_folder)
                if libc.syscall(RENAMEAT2, one, name, other, new_name, NO_REPLACE) != 0:
                    raise OSError(ctypes.get_errno(), "renameat2")
                os.close(one)
                os.close(other)

    return work
