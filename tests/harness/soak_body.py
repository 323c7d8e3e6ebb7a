"""What a process holds at a moment: memory, descriptors, threads, files left about, and the room of its database."""

import gc
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")


class Body(NamedTuple):
    """What is held."""

    memory: int
    """Bytes that are resident."""
    descriptors: int
    threads: int
    temporary: int
    """Files and folders in places for what lives shortly, and half-made things beside the person's files."""
    kept: int
    """Things and notes kept for ways back."""
    database: int
    """Bytes."""
    rows: int
    """Actions that the journal still tells of."""
    locks: int


def body(own: Path, home: Path, temporary: Path) -> Body:
    """Look at this process, at sayso's folder, at the person's files, and at the folder for temporary files."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE
    about = [path for path in home.rglob("*") if path.name.startswith((".sayso-", "."))]
    about = [path for path in about if ".local" not in path.relative_to(home).parts]
    return Body(
        memory=resident,
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        threads=len(list(Path("/proc/self/task").iterdir())),
        temporary=len(about) + _inside(own / "tmp") + _inside(temporary),
        kept=_inside(own / "trash"),
        database=sum(path.stat().st_size for path in own.glob("sayso.db*")),
        rows=_rows(own / "sayso.db"),
        locks=_inside(own / "locks"),
    )


def _rows(database: Path) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as journal:
        (count,) = journal.execute("SELECT count(*) FROM action").fetchone()
    return count


def _inside(folder: Path) -> int:
    return len(list(folder.iterdir())) if folder.is_dir() else 0
