"""sayso, embedded in a program: actions asked about or allowed by rule, alone, in batches, or by many at once."""

import os
import sys
from functools import partial
from pathlib import Path

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from bench.deed import two_places
from bench.serving import serve
from sayso.assembly import Home, open_home
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.questions import Client

SETTINGS = """[policy]
roots = ["~/Documents"]
mode = "{mode}"
[files]
kind = "{kind}"
"""


class Mover:
    """Moves one file to and fro; every move is one action, from proposal to outcome."""

    def __init__(self, home: Home, places: tuple[str, str]) -> None:
        self._home = home
        self._places = places
        self._at = 0
        self._client = Client(lambda question: True, by="bench")

    def proposal(self, index: int) -> Proposal:
        """Return the next move."""
        source, destination = self._places[self._at], self._places[1 - self._at]
        self._at = 1 - self._at
        arguments = {"source": source, "destination": destination}
        return Proposal(index, f"MOVE_FILE {source} {destination}", "file.move", arguments)

    async def one_by_one(self, n: int) -> None:
        """Do n actions, each a run of its own."""
        for _ in range(n):
            await self._take([self.proposal(0)])

    async def in_batches(self, size: int, n: int) -> None:
        """Do n batches of `size` actions."""
        for _ in range(n):
            await self._take([self.proposal(index) for index in range(size)])

    async def _take(self, proposals: list[Proposal]) -> None:
        report = await self._home.take(proposals, Origin("lines", "library"), self._client)
        for outcome in report.outcomes:
            if outcome.record.state != "done":
                raise RuntimeError(f"{outcome.record.state}: {outcome.record.marks.error}")


def settled_home(folder: Path, *, asked: bool, kind: str) -> str:
    """Write the settings of a home below `folder`, which becomes HOME; return where it is."""
    os.environ["HOME"] = str(folder)
    home = folder / ".sayso"
    home.mkdir(mode=0o700, exist_ok=True)
    mode = "destructive" if asked else "never"
    (home / "config.toml").write_text(SETTINGS.format(mode=mode, kind=kind), encoding="utf-8")
    return str(home)


async def movers(home: Home, folder: Path, callers: int, kind: str) -> list[Mover]:
    """Return one mover for each caller, with its file made."""
    if kind == "local":
        made = [two_places(folder / "Documents" / f"of-{number}") for number in range(callers)]
        return [Mover(home, (str(one), str(other))) for one, other in made]
    pairs = [(f"~/Documents/{n}.txt", f"~/Documents/moved-{n}.txt") for n in range(callers)]
    for path, _ in pairs:
        await home.run(f"WRITE_FILE {path} hello")
    return [Mover(home, pair) for pair in pairs]


async def at_once(all_movers: list[Mover], size: int, n: int) -> None:
    """Let every mover do n actions or batches at the same time."""
    async with anyio.create_task_group() as tasks:
        for mover in all_movers:
            tasks.start_soon(partial(mover.in_batches, size) if size > 1 else mover.one_by_one, n)


def pages(home: str) -> int:
    """Return how many pages stand in the journal's write-ahead log; it must not have begun anew meanwhile."""
    frame, head = 4096 + 24, 32
    return (Path(home, "sayso.db-wal").stat().st_size - head) // frame


def main(folder: str, how: str, kind: str, callers: int, size: int) -> None:
    """Open a home and serve."""
    (Path(folder) / "Documents").mkdir(exist_ok=True)
    home = settled_home(Path(folder), asked=how == "asked", kind=kind)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(open_home(home)) as opened:
        _serve(portal, portal.call(movers, opened, Path(folder), callers, kind), size, home)


def _serve(portal: BlockingPortal, all_movers: list[Mover], size: int, home: str) -> None:
    def work(n: int) -> int:
        if len(all_movers) == 1 and size == 1:
            portal.call(all_movers[0].one_by_one, n)
        else:
            portal.call(at_once, all_movers, size, n)
        return pages(home)

    serve(work)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
