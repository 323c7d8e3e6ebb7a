"""Pages of the history out of a very large journal, and the memory that `run` needs beside one."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio

from bench.line import Gap, Line
from bench.million import RARE, made
from bench.paired import ROOT
from bench.sides.sayso import settled_home
from bench.size import Size
from sayso.assembly import Home, open_home
from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State

MOST_MS, MOST_MB = 50, 45
PAGE = 50
_RSS = """import os, resource, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


def measured(size: Size) -> list[Line | Gap]:
    """Measure pages, then memory."""
    home = made(size.work.parent / "bench-history", size.rows)
    slowest, which, count = anyio.run(partial(_pages, str(home), size.rounds))
    return [
        Line(f"slowest of {count} pages of the log over {size.rows:,} rows", slowest, MOST_MS, "ms", beside=which),
        *_memory(size, home),
    ]


async def _pages(home: str, rounds: int) -> tuple[float, str, int]:
    os.environ["HOME"] = str(Path(home).parent)
    slowest, which, count = 0.0, "", 0
    async with open_home(home) as opened:
        for query in await _queries(opened):
            took = min([await _took(opened, query) for _ in range(max(3, rounds // 3))])
            count += 1
            if took > slowest:
                slowest, which = took, str(query)
    return slowest, which, count


async def _took(home: Home, query: RecordQuery) -> float:
    # The process's own time: what it takes where nothing else keeps the machine from working.
    begun = time.process_time()
    await home.log(query)
    return 1000 * (time.process_time() - begun)


async def _queries(home: Home) -> list[RecordQuery]:
    newest = (await home.log(RecordQuery(limit=1)))[0]
    oldest_key = _oldest(home.journal.path)
    middle = (newest.key + oldest_key) // 2
    old = (await home.log(RecordQuery(limit=1, before=middle)))[0]
    queries: list[RecordQuery] = []
    for before in (None, middle, oldest_key + (newest.key - oldest_key) // 1000):
        page = partial(RecordQuery, PAGE, before)
        queries += [page(), *_filtered(page, newest, old)]
    return queries


def _filtered(page: partial[RecordQuery], newest: Record, old: Record) -> Iterator[RecordQuery]:
    for state in State:
        yield page(states=frozenset({state}))
        yield page(states=frozenset({state}), operation="file.*")
    for operation in ("file.move", "file.*", "task.add", "*.send", RARE, "no.such"):
        yield page(operation=operation)
        yield page(operation=operation, since=old.time)
    for one in (newest, old):
        yield page(run=one.run)
        yield page(session=one.session, states=frozenset({State.FAILED}))
        yield page(since=one.time)
    for session in ("chat-1", "chat-7", "no such session"):
        yield page(session=session)
        yield page(session=session, operation=RARE)
        yield page(session=session, states=frozenset({State.FAILED}), since=old.time)


def _memory(size: Size, home: Path) -> list[Line | Gap]:
    fresh = Path(size.folder("fresh"))
    (fresh / "Documents").mkdir()
    settled_home(fresh, asked=True, kind="local")
    small, large = _resident(fresh / ".sayso", fresh), _resident(home, fresh)
    return [
        Line("memory of `run` on a page of text, beside that journal", large, MOST_MB, "MB"),
        Line("more than beside an empty journal", large - small, 1, "MB", beside=f"{small:.1f} MB beside an empty one"),
    ]


def _resident(home: Path, person: Path) -> float:
    page = "".join(f"FIND_FILES ~/Documents letter-{n}\n" for n in range(50))
    environ = {**os.environ, "HOME": str(person), "SAYSO_HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", _RSS, sys.executable, "-m", "sayso", "run", "-", "--dialect", "lines", "--json"]
    ran = subprocess.run(command, input=page, env=environ, capture_output=True, text=True, check=True)
    used, code = ran.stdout.strip().splitlines()[-1].split()
    if code not in {"0", "1"}:
        raise RuntimeError(f"run ended with {code}: {ran.stderr[-1000:]}")
    return int(used) / 1024


def _oldest(path: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT min(key) FROM action").fetchone()[0])
