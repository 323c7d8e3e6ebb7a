"""Run one long-lived program through days of a simulated clock, and check that nothing grows, stays open or hangs."""

import fcntl
import gc
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from sayso.assembly import Home, open_home
from sayso.assembly.wiring import ReloadingSettings
from sayso.journal.sqlite import SqliteJournal
from sayso.providers.files.local.backend import LocalBackend
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import is_over
from tests.harness.long_run import Planted, Run, start_run
from tests.harness.planting import always, everywhere, method
from tests.harness.soak_days import Days, Forward

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


N = 20_000
SHORT = 104
A_DAY = 13
"""Actions between two nights: everything that can become of one."""
OPENED_FOR = 10
"""Days after which the home is closed and opened again in the same process."""
WARM = 3
"""Days until everything has been there once: what is kept, what expired, what was removed."""
MOST_MEMORY, MEMORY_EACH = 6 * 2**20, 300
"""Bytes that the process may have grown by since then: at all, and more for each action."""
FEW = 8
"""Descriptors and threads that may be open at one moment more than at another."""


class Soak:
    """One process, and what it held at the end of each day."""

    def __init__(self, run: Run, base: Path) -> None:
        self._run = run
        self._home, self._own = base / "home", base / "sayso"
        self._temporary = base / "temporary"
        for folder in (self._home / "Documents", self._home / "Downloads", self._home / "Desktop", self._temporary):
            folder.mkdir(parents=True)
        self._own.mkdir(mode=0o700)
        tempfile.tempdir = str(self._temporary)
        self._clock = Forward()
        self._days = Days(run, self._home, self._own, self._clock)
        self.bodies: list[Body] = []

    async def works(self) -> None:
        """Work until it is over, opening the home again now and then."""
        environ = {"HOME": str(self._home), "SAYSO_HOME": str(self._own), "PATH": os.environ.get("PATH", "")}
        while not self._is_over():
            async with open_home(environ=environ, clock=self._clock) as home:
                self._run.count("openings")
                for _ in range(OPENED_FOR):
                    if not self._is_over():
                        await self._a_day(home)
                verified = await home.journal.verify()
                if verified.problem:
                    self._run.breach(f"the journal is not intact: {verified.problem}")
        self._locks_are_free()

    async def _a_day(self, home: Home) -> None:
        for _ in range(A_DAY):
            await self._days.one(home)
        await self._days.night(home)
        self.bodies.append(body(self._own, self._home, self._temporary))

    def _is_over(self) -> bool:
        return self._run.over(self._run.counts.get("actions", 0)) or len(self._run.broken) > FEW

    def held(self) -> None:
        """Compare what was held once everything had been there with what is held at the end."""
        if len(self.bodies) < 2 * WARM:
            self._run.gap(f"{len(self.bodies)} days are too few to see what grows")
            return
        warm, last = self.bodies[WARM], self.bodies[-1]
        actions = (len(self.bodies) - WARM) * A_DAY
        half = self.bodies[len(self.bodies) // 2]
        bounds = {
            "memory": warm.memory + MOST_MEMORY + MEMORY_EACH * actions,
            "descriptors": warm.descriptors + FEW,
            "threads": warm.threads + FEW,
            "temporary": warm.temporary,
            "kept": 18,
            "rows": 8 * A_DAY,
            "database": warm.database * 2 + 2**18,
            "locks": warm.locks + 2,
        }
        for what, most in bounds.items():
            if getattr(last, what) > most:
                self._run.breach(
                    f"{what} grew from {getattr(warm, what)} to {getattr(last, what)} in {actions} actions"
                )
        self._run.coverage |= {
            "days": len(self.bodies),
            "bytes grown per action": {
                "memory": round((last.memory - warm.memory) / actions, 1),
                "database": round((last.database - warm.database) / actions, 1),
            },
            "memory grown in the second half": last.memory - half.memory,
            "at the end": last._asdict(),
            "most": {what: max(getattr(one, what) for one in self.bodies) for what in Body._fields},
        }

    def _locks_are_free(self) -> None:
        for lock in (self._own / "locks").iterdir():
            with lock.open("rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    self._run.breach(f"{lock.name} is still held")


def _also(owner: type, name: str, more: Callable[..., object]) -> None:
    """Do something more each time a method is called."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: object, *given: Any, **named: Any) -> Any:
            more(self)
            return sound(self, *given, **named)

        return worse

    method(owner, name, make)


def descriptor() -> None:
    """Leave a descriptor open with each lock."""

    def open_one(locks: object) -> None:
        os.dup(0)

    _also(FileLocks, "_open", open_one)


def memory() -> None:
    """Keep something of each commit for ever."""
    kept: list[bytes] = []

    def keep(journal: object) -> None:
        kept.append(os.urandom(2**16))

    _also(SqliteJournal, "commit", keep)


def thread() -> None:
    """Start a thread with each commit that waits for what never comes."""
    never = threading.Event()

    def start(journal: object) -> None:
        threading.Thread(target=never.wait, daemon=True).start()

    _also(SqliteJournal, "commit", start)


def kept() -> None:
    """Never let go of what was kept for a way back."""
    method(LocalBackend, "prune", always(always(0)))


def immortal() -> None:
    """Let what waits wait for ever."""
    everywhere(is_over, always(False))


def audit() -> None:
    """Never remove what is old from the journal."""

    async def worse(self: SqliteJournal, *before: str) -> None:
        return None

    method(SqliteJournal, "prune", always(worse))


def temporary() -> None:
    """Leave a file behind with each lock."""

    def leave(locks: FileLocks) -> None:
        folder = Path(str(vars(locks)["_folder"])).parent / "tmp"
        folder.mkdir(exist_ok=True)
        (folder / str(len(list(folder.iterdir())))).touch()

    _also(FileLocks, "_open", leave)


def stale() -> None:
    """Read the settings once and never again."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: ReloadingSettings) -> Any:
            return vars(self).get("_good") or sound(self)

        return worse

    method(ReloadingSettings, "__call__", make)


PLANTED: Planted = {
    "descriptor": descriptor,
    "memory": memory,
    "thread": thread,
    "kept": kept,
    "immortal": immortal,
    "audit": audit,
    "temporary": temporary,
    "stale": stale,
}


def main() -> int:
    """Run it, and say what grew."""
    run = start_run("soak", PLANTED, N)
    base = Path(tempfile.mkdtemp(prefix="sayso-soak-"))
    try:
        soak = Soak(run, base)
        anyio.run(soak.works)
        if not run.broken:
            soak.held()
    finally:
        tempfile.tempdir = None
        shutil.rmtree(base)
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
