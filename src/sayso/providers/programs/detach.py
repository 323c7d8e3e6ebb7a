"""A small program of its own: start another one that stays, write its number, and end."""

import os
import sys
import time

DEVNULL = "/dev/null"
MARK = "SAYSO_STARTED"
TRIES = 200


def main(argv: list[str]) -> str:
    """Start `argv` in a session of its own, its output dropped; return its number, or why it does not start.

    It inherits the standard input of this program. This program, its parent, ends at once, so that nobody has to
    wait for its end.
    """
    environ = {name: value for name, value in os.environ.items() if name != MARK}
    silence = [(os.POSIX_SPAWN_OPEN, stream, DEVNULL, os.O_WRONLY, 0) for stream in (1, 2)]
    try:
        process = os.posix_spawn(argv[0], argv, environ, file_actions=silence, setsid=True)
    except OSError as error:
        return os.strerror(error.errno or 0)
    for _ in range(TRIES):
        if is_shown(process):
            break
        time.sleep(0.005)
    return str(process)


def is_shown(process: int) -> bool:
    """Say whether a process shows its environment, or has ended; right after its start neither is so."""
    if os.waitpid(process, os.WNOHANG) != (0, 0) or not os.path.isdir("/proc/self"):
        return True
    try:
        with os.fdopen(os.open(f"/proc/{process}/environ", os.O_RDONLY), "rb") as environ:
            return bool(environ.read(1))
    except ProcessLookupError:
        return True


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]))
