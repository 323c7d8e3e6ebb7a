"""On which ports sayso's own pages listen: nothing that a browser is told to do may reach them (BR-01).

Whoever serves a page announces its port by an empty file in sayso's own folder. Going by the port and not by the
name or address, no spelling, redirect or name server leads around it.
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER = "pages"
USUAL = 8737
"""Where the page is unless something else was asked for; it is kept away from also while nothing is served."""


def own_ports(own: str) -> frozenset[int]:
    """Return the ports to keep away from, of the home of sayso that is the folder `own`."""
    try:
        names = [file.name for file in Path(own, FOLDER).iterdir()]
    except OSError:
        names = []
    return frozenset({USUAL, *(int(name) for name in names if name.isascii() and name.isdigit())})


def private(own: str | Path, *names: str) -> Path:
    """Return a folder in sayso's own, made for the person alone where it is not there, with those above it."""
    folder = Path(own)
    for name in ("", *names):
        folder /= name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@contextmanager
def announced(own: str, port: int) -> Generator[None]:
    """Announce a page while it is served."""
    file = private(own, FOLDER) / str(port)
    file.touch(mode=0o600)
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink()
