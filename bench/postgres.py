"""A PostgreSQL server of one's own, for as long as a measurement takes."""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

NEEDED = ("initdb", "pg_ctl")


@contextmanager
def postgres(folder: Path) -> Generator[str | None]:
    """Start a server in a folder and yield its address; None where there is no server to start."""
    programs = {name: _found(name) for name in NEEDED}
    if not all(programs.values()):
        yield None
        return
    data, port = folder / "data", _free_port()
    user = _user(folder)
    try:
        _run(user, [programs["initdb"], "-D", str(data), "-U", "bench", "--auth=trust", "--no-sync", "-N"])
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
        log = str(folder / "log")
        _run(user, [programs["pg_ctl"], "-D", str(data), "-o", options, "-w", "-l", log, "start"])
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        yield f"postgresql://bench@127.0.0.1:{port}/postgres"
    finally:
        _run(user, [programs["pg_ctl"], "-D", str(data), "-m", "fast", "-w", "stop"])


def _found(name: str) -> str:
    found = shutil.which(name)
    if found:
        return str(Path(found).resolve())
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(places[-1]) if places else ""


def _user(folder: Path) -> str | None:
    """Return whom the server is to run as: never root, which it refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            found = pwd.getpwnam(name)
            os.chown(folder, found.pw_uid, found.pw_gid)
            return name
    return None


def _run(user: str | None, command: list[str]) -> None:
    subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
