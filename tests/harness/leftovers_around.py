"""What there is of a session, as the kernel and its file system tell it: processes, files, sockets, X clients."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.desktop_env.session import Session

OF_A_BROWSER = b"--type="
"""What a browser's own children have on their command line: it starts and ends them as it likes."""
LISTENS = "0A"
"""What the kernel calls a socket of TCP that listens."""


def around(session: Session) -> Counter[str]:
    """Return what there is."""
    ours = list(processes(session))
    told = (f"process {number} {line.decode(errors='replace')[:80]}" for number, line in ours)
    return Counter([*told, *_files(session), *_sockets(session), *_listening([number for number, _ in ours])])


def processes(session: Session) -> Iterator[tuple[int, bytes]]:
    """Yield the processes of a session, with what stands on their command line."""
    home = os.fsencode(session.home)
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdecimal() or int(entry.name) == os.getpid():
                continue
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").strip()
            has_home = b"HOME=" + home in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        # One that was given another environment is known by what it was told.
        if (has_home or home in line) and OF_A_BROWSER not in line:
            yield int(entry.name), line


def _files(session: Session) -> list[str]:
    places = (session.runtime, session.home / "tmp", *(own / "tmp" for own in session.home.glob("own*")))
    return [f"file {path}" for place in places if place.is_dir() for path in place.rglob("*")]


def _sockets(session: Session) -> list[str]:
    ours = (str(session.home), f"X11-unix/X{session.environment['DISPLAY'].removeprefix(':')}")
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    # Who listens, who is connected, and through what: an X client is a connection to the screen's socket.
    told = [line.split() for line in lines if line.endswith(ours[1]) or ours[0] in line]
    return [f"socket {' '.join((words[3], words[5], words[7]))}" for words in told]


def _listening(processes: list[int]) -> Iterator[str]:
    """Yield the sockets of TCP on which these processes listen; others' on the same machine are none of a session."""
    heard = dict(_listeners())
    for process in processes:
        with suppress(OSError):
            held = {str(handle.readlink()) for handle in Path(f"/proc/{process}/fd").iterdir()}
            yield from (f"listening {heard[socket]} in process {process}" for socket in held & heard.keys())


def _listeners() -> Iterator[tuple[str, str]]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == LISTENS:
                    yield f"socket:[{words[9]}]", f"{table} port {int(words[1].rpartition(':')[2], 16)}"
