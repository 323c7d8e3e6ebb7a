"""A small program of its own: run another one, and end it with everything it started once sayso is gone."""

import fcntl
import os
import select
import signal
import sys
import time

MARK = b"SAYSO_STARTED="
POLITE_SECONDS = 2.0
SURE_TRIES = 200


def main(life: int, argv: list[str]) -> int:
    """Run `argv` and return its exit code, negative for a signal; `life` is a pipe whose other end sayso holds.

    Whoever ends sayso, even at once and without a word, closes that end.
    """
    fcntl.fcntl(life, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        child = os.posix_spawn(argv[0], argv, os.environ, setsigdef=[signal.SIGTERM])
    except OSError as odd:
        name = argv[0].rpartition("/")[2]
        sys.stderr.write(f"{name} could not be started: {os.strerror(odd.errno or 0)}\n")
        return 127
    held = os.pidfd_open(child)
    ready, _, _ = select.select([held, life], [], [])
    if held not in ready:
        end(held)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def end(held: int) -> None:
    """End the group of this program, and what carries its mark, politely and then not."""
    os.killpg(0, signal.SIGTERM)
    send(signal.SIGTERM)
    select.select([held], [], [], POLITE_SECONDS)
    for _ in range(SURE_TRIES):
        if not send(signal.SIGKILL):
            return
        time.sleep(0.01)


def send(how: signal.Signals) -> int:
    """Send a signal to every other process with the mark of this one; return how many there were."""
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
    """Return the mark that a process carries in its environment."""
    try:
        with os.fdopen(os.open(f"/proc/{pid}/environ", os.O_RDONLY), "rb") as environ:
            return [entry for entry in environ.read().split(b"\0") if entry.startswith(MARK)]
    except OSError:
        return []


if __name__ == "__main__":
    code = main(int(sys.argv[1]), sys.argv[2:])
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
