"""Make a home whose journal holds as many rows as asked for, each as the product writes it.

A few thousand actions go down the path itself; their rows are then written again and again under later keys.
The chain of hashes is not made anew for these: nothing that is measured here follows it.
"""

import hashlib
import random
import sqlite3
from contextlib import closing
from functools import partial
from importlib.resources import files
from pathlib import Path

import anyio

from bench.sides.sayso import settled_home
from sayso.assembly import Home, open_home
from sayso.runtime.questions import Client
from sayso.runtime.system import RANDOM_BITS

SEED_RUNS = 400
YES = 0.9
"""How many of the questions are answered with yes."""
APART_MS = 40_000
"""Milliseconds between two actions: a million of them are more than a year."""
RARE = "tab.close"
RARE_WORD = "quetzal"
"""A word that only the oldest action has."""
_FORM = 2
"""Raised whenever the rows are made differently."""
_COLUMNS = (
    "run, idx, state, turn, back, operation, time, origin, session, undo_of, expires, digest, marks, a, b, c, d, body"
)

_KINDS = (
    "MOVE_FILE ~/Documents/{n}.txt ~/Documents/moved-{n}.txt",
    "COPY_FILE ~/Documents/{n}.txt ~/Documents/copy-{n}.txt",
    'TASK_ADD "Answer letter {n}, before the week is over"',
    "MAKE_FOLDER ~/Documents/folder-{n}",
    "MOVE_FILE ~/Documents/nothing-{n}.txt ~/Documents/x-{n}.txt",
    "DELETE_FILE /etc/passwd-{n}",
    'NOTIFY "Letter {n}" "was put away"',
    "WRITE_FILE ~/Documents/note-{n}.txt <<END\nDear Sir or Madam,\nthis is letter {n}.\nEND",
)


def made(folder: Path, rows: int) -> Path:
    """Return the home in `folder` with at least so many rows; it is made only once."""
    folder.mkdir(parents=True, exist_ok=True)
    home = settled_home(folder, asked=True, kind="memory")
    schema = files("sayso.journal").joinpath("schema.sql").read_bytes()
    done = folder / f"rows-{rows}-{_FORM}-{hashlib.sha256(schema).hexdigest()[:12]}"
    if not done.exists():
        (folder / "Documents").mkdir(exist_ok=True)
        for leftover in (*Path(home).glob("sayso.db*"), *Path(home).glob("words.db*")):
            leftover.unlink()
        anyio.run(partial(_seed, home))
        _multiply(Path(home) / "sayso.db", rows)
        done.touch()
    return Path(home)


async def _seed(home: str) -> None:
    chosen = random.Random(7)
    async with open_home(home) as opened:
        for n in range(SEED_RUNS):
            await opened.run(f"WRITE_FILE ~/Documents/{n}.txt hello")
            yes = Client(partial(_decided, chosen.random() < YES))
            session = f"chat-{n % 60}" if n % 3 else ""
            await opened.run(_KINDS[n % len(_KINDS)].format(n=n), approver=yes, session=session)
            await _once_in_a_while(opened, n)


def _decided(yes: bool, question: object) -> bool:  # noqa: FBT001 - bound by name
    return yes


async def _once_in_a_while(opened: Home, n: int) -> None:
    if n % 40 == 0:
        await opened.undo()
    if n % 100 == 0:
        await opened.run(f"MOVE_FILE ~/Documents/{n + 1000}.txt ~/Documents/waits.txt\nTASK_ADD waits")
        await opened.run(
            f"MAKE_FOLDER ~/Documents/later-{n}\nMOVE_FILE ~/Documents/{n}.txt ~/Documents/later-{n}/x.txt"
        )


def _multiply(file: Path, rows: int) -> None:
    """Write the rows again under ever earlier keys, the earliest first, as time would have it.

    Each copy has names of its own, so that not all of them have the same words.
    """
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for setting in ("synchronous = OFF", "cache_size = -200000", "wal_autocheckpoint = 20000"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("CREATE TEMP TABLE seed AS SELECT * FROM action")
        connection.execute("CREATE TEMP TABLE told AS SELECT * FROM audit")
        (before,) = connection.execute("SELECT count(*) FROM seed").fetchone()
        connection.execute("DELETE FROM action")
        connection.execute("DELETE FROM audit")
        for copy in range(rows // before, -1, -1):
            connection.execute("BEGIN")
            _written_again(connection, copy, before * APART_MS)
            connection.execute("COMMIT")
        said = f'{{"said":"{RARE_WORD}","arguments":'
        connection.execute(
            "UPDATE action SET operation = ?, body = replace(body, ?, ?) WHERE key = (SELECT min(key) FROM action)",
            (RARE, '{"arguments":', said),
        )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _written_again(connection: sqlite3.Connection, copy: int, span_ms: int) -> None:
    back = copy * span_ms
    which = "state NOT IN ('waiting', 'running')" if copy else "1"
    earlier: dict[str, int | str] = {"back": back << RANDOM_BITS, "ago": back * 1000}
    connection.execute(
        f"INSERT INTO action (key, {_COLUMNS}) "  # noqa: S608 - the words are ours
        "SELECT key - :back, iif(typeof(run) = 'integer', run - :back, run), idx, state, turn, back, "
        "operation, time - :ago, origin, session, "
        "iif(typeof(undo_of) = 'integer', undo_of - :back, undo_of), expires, digest, marks, "
        "replace(a, '.txt', :named), b, c, d, body "
        f"FROM seed WHERE {which} ORDER BY key",
        {**earlier, "named": f"-{copy}.txt"},
    )
    connection.execute(
        "INSERT INTO audit SELECT (SELECT coalesce(max(seq), 0) FROM audit) + row_number() OVER (ORDER BY seq), "
        "time - :ago, event, action - :back, turn, state, row, more, randomblob(32) FROM told",
        earlier,
    )
