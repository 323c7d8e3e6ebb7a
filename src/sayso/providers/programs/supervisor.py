"""A helper program: runs another program, and ends it with all its processes when sayso ends."""

import fcntl
import os
import select
import signal
import sys
import time

MARK = b"SAYSO_STARTED="
SURE_TRIES = 200
AT_ONCE = 2**20
CANNOT_START = 127


def main(life: int, data: int, polite_seconds: float, path: str, argv: list[str]) -> int:
    """Run `argv` and return its exit code, negative for a signal; `life` is a pipe whose other end sayso has open.

    When sayso ends, even if it is killed, its end of the pipe closes. The program then gets `polite_seconds` to end by
    itself. While the program runs, a private file at `path` contains what can be read from `data`; an empty `path`
    means no file.
    """
    for descriptor in (life, data):
        fcntl.fcntl(descriptor, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, wake)
    try:
        if path:
            write(data, path)
        return run(argv, woken, life, polite_seconds)
    except OSError as error:
        name = argv[0].rpartition("/")[2]
        sys.stderr.write(f"{name} could not be started: {os.strerror(error.errno or 0)}\n")
        return CANNOT_START
    finally:
        if path:
            remove(path)


def wake(number: int, frame: object) -> None:
    """Do nothing: Python writes to the wakeup pipe when a child process ends."""


def write(data: int, path: str) -> None:
    """Write what can be read from a descriptor to a new private file."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "wb") as writing, os.fdopen(data, "rb") as reading:
        while chunk := reading.read(AT_ONCE):
            writing.write(chunk)


def remove(path: str) -> None:
    """Remove the file, if it is still there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def run(argv: list[str], woken: int, life: int, polite_seconds: float) -> int:
    """Run a program until it ends, or until sayso ends; return its exit code."""
    child = os.posix_spawn(argv[0], argv, os.environ, setsigdef=[signal.SIGTERM])
    let_go()
    ready, _, _ = select.select([woken, life], [], [])
    if woken not in ready:
        end(woken, polite_seconds)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def let_go() -> None:
    """Leave input and output to the program alone, so that whoever has the other ends sees when it closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def end(woken: int, polite_seconds: float) -> None:
    """Ask this process group, and all processes that carry its mark, to end; kill those that do not."""
    os.killpg(0, signal.SIGTERM)
    send(signal.SIGTERM)
    select.select([woken], [], [], polite_seconds)
    for _ in range(SURE_TRIES):
        if not send(signal.SIGKILL):
            return
        time.sleep(0.01)


def send(how: signal.Signals) -> int:
    """Send a signal to all other processes with the mark of this one; return their number."""
    mine = marks(os.getpid())
    others = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdecimal()]
    marked = [pid for pid in others if mine and pid != os.getpid() and marks(pid) == mine]
    for pid in marked:
        try:
            os.kill(pid, how)
        except ProcessLookupError:
            continue
    return len(marked)


def marks(pid: int) -> list[bytes]:
    """Return the entries of a process's environment that are sayso's mark."""
    try:
        with os.fdopen(os.open(f"/proc/{pid}/environ", os.O_RDONLY), "rb") as environ:
            return [entry for entry in environ.read().split(b"\0") if entry.startswith(MARK)]
    except OSError:
        return []


if __name__ == "__main__":
    code = main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5:])
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
