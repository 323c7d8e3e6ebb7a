"""Swap paths under sayso's feet while it does every file operation, and look for anything that gets out or in."""

import os
import random
import shutil
import signal
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

import sayso
from sayso.assembly.parts import providers
from sayso.core import ports
from sayso.providers.disk import syscalls
from sayso.providers.files.local.backend import LocalBackend
from sayso.runtime.registry import codec
from sayso.runtime.system import RandomIds, SystemClock
from tests.harness.races_acting import Direct, Doer, Ending, Whole, without_threads
from tests.harness.races_deeds import DEEDS, Try, moves, tries
from tests.harness.races_gaps import Gaps
from tests.harness.races_ground import BYTES, Ground, Watch
from tests.harness.races_judging import CANARIES, breaches
from tests.harness.races_planted import PLANTED
from tests.harness.races_swapper import Exchange, Swapper
from tests.harness.told import UNUSABLE, Run, begun

__all__ = ["PLANTED", "SHORT"]

N, SHORT = 100_000, 400
PAUSES = (0.0, 0.00002, 0.0002, 0.001)
WHOLE, CONTROL, SELDOM = 40, 20, 5
"""Every so many attempts, one goes down the whole path, one is the control's, and all outside is looked at."""
BY_KERNEL, PATIENCE = 0.7, 6
"""The share of attempts that open folders by openat2, the others name by name; and how often one is made again."""
SOUGHT = 10
"""How many times as many tries a planted bug is given, at the most: its run ends when it is caught."""
MEMORY = Path("/dev", "shm")
BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
LEAST = 0.1
"""The share of attempts that must have acted, and that must have been refused."""
SETTINGS = '[desktop]\nkind = "memory"\n[policy]\nmode = "never"\nroots = ["~/Documents"]\n'


@dataclass
class Races:
    """Everything that takes part."""

    run: Run
    ground: Ground
    control: Ground
    swapper: Swapper
    gaps: Gaps
    watch: Watch
    draw: random.Random
    beyond: Mapping[str, object] = field(init=False)
    widest: dict[tuple[str, str, bool], int] = field(default_factory=dict[tuple[str, str, bool], int])
    told: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    tried: set[Try] = field(default_factory=set[Try])
    judged: int = 0

    def __post_init__(self) -> None:
        """Look at what lies beyond, before anything happens."""
        self.beyond = self.ground.beyond()

    async def attempt(self, this: Try, doer: Doer) -> bool:
        """Make one attempt, and judge it; say whether it counts, which it does when something was swapped meanwhile."""
        if self.ground.now != self.ground.start:
            self.ground.lay()
        if this.back and (first := await doer.do(this.deed)).how != "acted":
            self.run.breach(f"{this.deed.name} in peace: {first}")
            return True
        before = self.ground.inside() if this.back else self.ground.now
        self.watch.heard()
        robbed = self.swapper.robbed
        ending, swaps = await self._raced(this, doer)
        found = [f"opened or changed outside: {entry}" for entry in self.watch.heard()]
        found += ["something was put over what another program had made"] * (self.swapper.robbed - robbed)
        self._judge(this, ending, [*found, *breaches(self.ground, this.deed, ending, before, back=this.back)])
        if not swaps:
            self.run.count("without_a_swap")
            return False
        self.run.count("attempts")
        self.run.count(ending.how)
        self.run.count("swaps", swaps)
        self.run.count("whole_path", isinstance(doer, Whole))
        self.tried.add(this)
        self.told.setdefault(f"{this.deed.name}{' back' if this.back else ''}", Counter())[ending.how] += 1
        return True

    def _judge(self, this: Try, ending: Ending, found: list[str]) -> None:
        self.judged += 1
        # What has changed there stays changed, and is seen a little later; at once where another sign is there.
        now = self.ground.beyond() if found or self.judged % SELDOM == 0 else self.beyond
        if now != self.beyond:
            changed = sorted(path for path in {*now, *self.beyond} if now.get(path) != self.beyond.get(path))
            found.append(f"outside is not as it was: {changed}")
            self.beyond = now
        for what in found:
            self.run.breach(f"{this.deed.name}{' back' if this.back else ''} / {this.move} / {ending.how}: {what}")

    async def _raced(self, this: Try, doer: Doer) -> tuple[Ending, int]:
        """Let it race; return how it ended, and how many swaps were done meanwhile."""
        key = (this.deed.name, type(doer).__name__, this.back)
        self.swapper.go(this.move, self.draw.choice(PAUSES))
        swaps = self.swapper.swaps
        self.gaps.choose(self._chosen(self.widest.get(key, 40)))
        try:
            ending = await (doer.undo() if this.back else doer.do(this.deed))
        except BUGS as bug:
            ending = Ending("bug", repr(bug))
        self.widest[key] = max(self.widest.get(key, 0), self.gaps.done())
        swaps = self.swapper.swaps - swaps
        self.swapper.rest()
        return ending, swaps

    def _chosen(self, widest: int) -> frozenset[int]:
        return frozenset(self.draw.randint(1, widest) for _ in range(self.draw.choice((1, 1, 2, 3))))

    def over(self, made: int) -> bool:
        """Say whether enough was tried."""
        if self.run.planted:
            return bool(self.run.broken) or made >= SOUGHT * self.run.n
        return self.run.over(self.run.counts.get("attempts", 0)) or made >= 2 * self.run.n

    def control_leaks(self) -> None:
        """Do what careless programs do: look where a path leads, find that it is within, and open it."""
        path = f"{self.control.arena}/d/f.txt"
        self.swapper.go("control", self.draw.choice(PAUSES))
        self.run.count("control")
        self.gaps.choose(frozenset({self.draw.randint(1, 12)}))
        try:
            if os.path.realpath(path).startswith(self.control.arena + "/"):
                self.gaps.choose(frozenset({1}))
                with open(os.open(path, os.O_RDONLY), encoding="utf-8") as file:
                    self.run.count("control_leaked", file.read() == BYTES)
        except OSError:
            self.run.count("control_failed")
        self.gaps.done()
        self.swapper.rest()


@asynccontextmanager
async def doers(ground: Ground, between: Gaps) -> AsyncGenerator[tuple[Direct, Direct, Whole]]:
    """Yield those who do: with each of the two ways to open a folder, and down the whole path."""
    Path(ground.own, "config.toml").write_text(SETTINGS, "utf-8")
    roots = (f"{ground.home}/Documents",)
    place = ports.Ground({}, ground.home, ground.own, roots, SystemClock(), RandomIds())
    kernel, walk = (Direct(LocalBackend(place, way), between) for way in (syscalls.openat2, syscalls.walked))
    async with sayso.open_home(ground.own, environ={"HOME": ground.home}) as home:
        home.tools.backend("files")  # it finds out in peace where the Trash is
        yield kernel, walk, Whole(home, codec(providers()))


async def race(races: Races) -> None:
    """Make the attempts."""
    made = 0
    async with doers(races.ground, races.gaps) as (by_kernel, by_walk, whole):
        for this in tries(races.draw):
            if races.over(made):
                break
            made += 1
            directly = by_kernel if races.draw.random() < BY_KERNEL else by_walk
            doer = whole if made % WHOLE == 0 and this.deed.operation != "keep" else directly
            for _ in range(PATIENCE):
                if await races.attempt(this, doer):
                    break
            if made % CONTROL == 0:
                races.control_leaks()
    if races.ground.beyond() != races.beyond:
        races.run.breach("outside is not as it was at the end")
    search(races)
    cover(races)


def search(races: Races) -> None:
    """Look for canaries in every byte that sayso wrote: journal, logs, kept things."""
    for folder, _, names in os.walk(races.ground.own):
        for name in names:
            path = Path(folder, name)
            if not stat.S_ISREG(path.lstat().st_mode):
                continue  # a pipe that a planted bug has brought here would never end
            data = path.read_bytes()
            races.run.count("bytes_searched", len(data))
            for canary in CANARIES:
                if canary.encode() in data:
                    races.run.breach(f"what lies outside stands in {name}")


def cover(races: Races) -> None:
    """Say what was tried, and what was not tried enough."""
    run = races.run
    counts, attempts = run.counts, max(1, run.counts.get("attempts", 0))
    shares = {how: round(counts.get(how, 0) / attempts, 3) for how in ("acted", "refused", "uncertain")}
    every = sum(len(deed.moves) + len(deed.back_moves) for deed in DEEDS)
    run.coverage |= {
        "shares": shares,
        "deeds": races.told,
        "pairs": f"{len(races.tried)} of {every}",
        "gaps_entered": races.gaps.entered,
    }
    if not races.watch.works:
        run.gap("the system does not tell what is opened (inotify)")
    if run.planted:
        return
    if not counts.get("control_leaked"):
        run.gap("the control, which checks and then opens, did not leak: the swapping proves nothing")
    for how in ("acted", "refused"):
        if shares[how] < LEAST:
            run.gap(f"only {shares[how]:.1%} of the attempts {how}")
    if attempts < run.n and not run.minutes:
        run.gap(f"only {attempts} attempts with a swap")
    if len(races.tried) < every:
        run.gap(f"{every - len(races.tried)} pairs of a deed and a swap were not tried")


def stopped(number: int, frame: object) -> None:
    """End in an orderly way, so that what is laid out is cleared away."""
    sys.exit(UNUSABLE)


def main() -> int:
    """Run the races; return the exit code."""
    run = begun("races", PLANTED, N)
    signal.signal(signal.SIGTERM, stopped)
    base = tempfile.mkdtemp(prefix="sayso-races-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    try:
        ground, control = Ground(f"{base}/w"), Ground(f"{base}/c")
        careless = Exchange(f"{control.arena}/d", f"{control.arena}/aside/d")
        swapper = Swapper({**moves(ground), "control": careless})
        gaps = Gaps(swapper.kick)
        gaps.put_everywhere()
        without_threads()
        anyio.run(race, Races(run, ground, control, swapper, gaps, Watch(ground), random.Random(run.seed)))
        swapper.end()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
