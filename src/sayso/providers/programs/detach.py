"""A helper program: starts another program that keeps running, writes its process id, and ends."""

import os
import sys
import time

DEVNULL = "/dev/null"
MARK = "SAYSO_STARTED"
TRIES = 200


def main(argv: list[str]) -> str:
    """Start `argv` in a new session without output; return its process id, or why it could not be started.

    The program inherits the standard input of this helper. The helper, its parent, ends at once, so that no other
    process has to wait for the end of the program.
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
    """Return whether the process has ended, or its environment can already be read; right after the start it cannot."""
    if os.waitpid(process, os.WNOHANG) != (0, 0) or not os.path.isdir("/proc/self"):
        return True
    try:
        with os.fdopen(os.open(f"/proc/{process}/environ", os.O_RDONLY), "rb") as environ:
            return bool(environ.read(1))
    except ProcessLookupError:
        return True


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]))
