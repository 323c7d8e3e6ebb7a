"""What a running process is: one number may be used again, so its start belongs to its name."""

import os
from pathlib import Path

from sayso.providers.programs.run import carriers

PROC = Path("/proc")
OPENED = "OPENED_BY_SAYSO"
"""Where what sayso starts carries a token of its own, and whatever that starts."""
_PARENT, _START = 1, 19
"""Where parent and start time stand behind the name in `/proc/PID/stat`."""


def instance(pid: int) -> str | None:
    """Return what no other process is ever called until the machine is started again; None when it has ended."""
    told = _told(pid)
    # One that has ended and was not yet fetched by its parent does nothing any more.
    return None if not told or told[0] in {"Z", "X"} else f"{pid}-{told[_START]}"


def _told(pid: int) -> list[str]:
    """Return what the system tells of a process behind its name; nothing when it has ended."""
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


def ours() -> frozenset[str]:
    """Return this process and those that it was started from: the shell, the terminal around it."""
    found: list[str] = []
    pid = os.getpid()
    while pid > 1 and (told := _told(pid)):
        found.append(f"{pid}-{told[_START]}")
        pid = int(told[_PARENT])
    return frozenset(found)


def lives(name: str) -> bool:
    """Say whether the process that `instance` named still runs."""
    pid = name.partition("-")[0]
    return pid.isdecimal() and instance(int(pid)) == name


def opened_under(token: str) -> frozenset[str]:
    """Return the instances that carry a token; none for no token."""
    found = (instance(pid) for pid in carriers(OPENED, token)) if token else ()
    return frozenset(name for name in found if name)


def programs(pid: int) -> tuple[str, ...]:
    """Return the names of the program that a process runs: what it was started as, and the file behind it."""
    names: list[str] = []
    try:
        first = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")[0]
        names.append(os.fsdecode(first).rpartition("/")[2])
        names.append(str((PROC / str(pid) / "exe").readlink()).rpartition("/")[2])
    except OSError:
        pass
    return tuple(dict.fromkeys(name for name in names if name))


def launched_as(pid: int) -> str | None:
    """Return the path of the desktop entry that a process itself was started from, where it tells."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
        leads = os.getsid(pid) == pid
    except OSError:
        return None
    told = {name: value for name, _, value in (word.partition(b"=") for word in environment)}
    # The variable is handed down; it is about the one process it names, or about the leader of its own session.
    named = told.get(b"GIO_LAUNCHED_DESKTOP_FILE_PID")
    about = named == str(pid).encode() if named else leads
    path = told.get(b"GIO_LAUNCHED_DESKTOP_FILE")
    return os.fsdecode(path) if path and about else None
