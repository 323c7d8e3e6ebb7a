"""Which process carries an action out, and whether it still lives."""

import os
import socket
from pathlib import Path

from sayso.core.record import Owner

PROC = Path("/proc")
"""Where the kernel tells of processes; not every system has it."""


def this_process(proc: Path = PROC) -> Owner:
    """Return who we are, so that another process can tell later whether we still live."""
    return Owner(socket.gethostname(), _boot(proc), os.getpid(), _started(os.getpid(), proc) or 0)


def is_dead(owner: Owner, me: Owner, proc: Path = PROC) -> bool:
    """Say whether `owner` is surely gone. One elsewhere never is: nobody here can know.

    The same boot and process space are the same machine, whatever it calls itself by now.
    """
    if owner.boot != me.boot:
        return owner.host == me.host and _kernel(owner.boot) != _kernel(me.boot)
    if not me.boot and owner.host != me.host:
        return False
    started = _started(owner.pid, proc)
    if started is None:
        return not _exists(owner.pid, proc)
    return started != owner.started


def _boot(proc: Path) -> str:
    """Return the kernel's boot id and the space in which process numbers count; a container has one of its own."""
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {(proc / 'self/ns/pid').readlink()}"
    except OSError:
        return ""  # where the kernel tells no boot id, a restart is seen by the process being gone


def _kernel(boot: str) -> str:
    return boot.partition(" ")[0]


def _started(pid: int, proc: Path) -> int | None:
    try:
        text = (proc / f"{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The second field is the program's name in brackets and may hold anything; the rest has no brackets.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def _exists(pid: int, proc: Path) -> bool:
    if (proc / "self").exists():
        return False  # _started found no living process of that number
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, so it lives
    return True
