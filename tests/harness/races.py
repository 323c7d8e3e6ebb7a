"""Swap paths while sayso performs every file operation, and check that nothing gets out of the roots or in."""

import os
import random
import shutil
import signal
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from msgspec.structs import replace

import sayso
from sayso.assembly.parts import providers
from sayso.core import ports
from sayso.providers.disk import denied_places, syscalls
from sayso.providers.files.local import creation, measure, sandbox, steps, transaction
from sayso.providers.files.local.backend import LocalBackend
from sayso.runtime.registry import codec
from sayso.runtime.system import RandomIds, SystemClock
from tests.harness.long_run import UNUSABLE, Planted, Run, start_run
from tests.harness.races_deeds import (
    DEEDS,
    SAME,
    A,
    Deed,
    Direct,
    Doer,
    Ending,
    Try,
    Whole,
    moves,
    tries,
    without_threads,
)
from tests.harness.races_ground import BYTES, NAME, Ground, Inside, Watch
from tests.harness.races_swapper import Exchange, Gaps, Swapper, put

CANARIES = (BYTES, NAME)


def breaches(ground: Ground, deed: Deed, ending: Ending, before: Inside, *, back: bool) -> Iterator[str]:
    """Yield each promise that was broken, where everything that was swapped is at rest again."""
    after = ground.inside()
    if ending.how == "bug":
        yield f"a bug showed itself: {ending.told[:300]}"
    yield from _leaks(ending, after)
    theirs = {thing.inode for path, thing in before.items() if thing.holds and not path.startswith(ground.notes)}
    lost = theirs - {thing.inode for thing in after.values()}
    if lost:
        yield f"lost: {[path for path, thing in before.items() if thing.inode in lost]}"
    if ending.how == "refused" and after != before:
        yield f"a refusal changed {sorted({*before.items()} ^ {*after.items()})[:4]}: {ending.told[:200]}"
    if ending.how == "acted":
        yield from (_not_back if back else _not_landed)(ground, deed, ending, before, after)


def _leaks(ending: Ending, after: Inside) -> Iterator[str]:
    for canary in CANARIES:
        if canary in ending.told:
            yield f"what lies outside was told: {ending.told[:300]}"
        for path, thing in after.items():
            if canary in thing.holds or canary in path:
                yield f"what lies outside came in at {path}"


def _not_landed(ground: Ground, deed: Deed, ending: Ending, before: Inside, after: Inside) -> Iterator[str]:
    """Yield what is wrong with where things are after a deed that was done."""
    at = [path for path, thing in after.items() if thing.inode == ending.inode]
    folders = [thing.folder for thing in after.values() if thing.inode == ending.inode]
    known = {thing.inode for thing in before.values()}
    wanted = {
        "there": ending.folder in folders,
        "trash": [path for path in at if path.startswith(f"{ground.trash}/files/")] == at != [],
        "own": [path for path in at if path.startswith(ground.own)] == at != [],
    }
    if not wanted.get(deed.lands, True):
        yield f"{deed.name} said done, but what was seen ({ending.inode}) is at {at}"
    fresh = [thing for thing in after.values() if thing.folder == ending.folder and thing.inode not in known]
    if ending.folder and not fresh and deed.lands != "there":
        yield f"{deed.name} said done, but nothing new is in the folder that was seen ({ending.folder})"
    content = _content(deed, ending, before)
    if content and not any(thing.holds == content for path, thing in after.items() if path not in before):
        # What was put over something has its path, but is not the same thing.
        fresh = {thing.inode for thing in after.values()} - {thing.inode for thing in before.values()}
        if not any(thing.holds == content for thing in after.values() if thing.inode in fresh):
            yield f"{deed.name} said done, but nothing new holds {content!r}"


def _content(deed: Deed, ending: Ending, before: Inside) -> str:
    old = next((thing.holds for thing in before.values() if thing.inode == ending.inode), "")
    match deed.operation:
        case "file.write":
            return SAME
        case "file.append":
            return old + SAME
        case "file.copy":
            return old
        case _:
            return ""


def _not_back(ground: Ground, deed: Deed, ending: Ending, before: Inside, after: Inside) -> Iterator[str]:
    """Yield what is wrong after a deed was taken back."""
    if not deed.lands or deed.lands == "stays":
        place = f"{ground.arena}/{deed.makes.partition('/x')[0]}"
        if place in after and after[place] == before.get(place):
            yield f"{deed.name} was taken back, but {place} still stands"
        return
    said = str(deed.arguments.get("source", deed.arguments.get("path"))).removeprefix(A)
    now = after.get(ground.arena + said)
    if now is None or now.inode != ending.inode:
        yield f"{deed.name} was taken back, but {said} is {now} and not {ending.inode}"


N, SHORT = 100_000, 400
PAUSES = (0.0, 0.00002, 0.0002, 0.001)
STILL = -1.0
"""In place of a pause: the other process swaps only when it is told to, between two calls."""
WHOLE, CONTROL, SELDOM = 40, 20, 5
"""Every so many attempts, one goes down the whole path, one is the control's, and all outside is looked at."""
BY_KERNEL, PATIENCE, SURELY = 0.7, 6, 3
"""The share of attempts that open folders by openat2, the others name by name; how often one is made again; and from
which time on the other comes in before every call, so that it comes in wherever it can."""
EVERYWHERE = frozenset(range(1, 1_000))
SOUGHT = 10
"""How many times as many tries a planted bug is given, at the most: its run ends when it is caught."""
MEMORY = Path("/dev", "shm")
BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
ABOVE_DENIED = ("local", "share")
"""The moves that put a link in place of a folder in which sayso looks for denied names."""
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

    @property
    def fixed(self) -> bool:
        """Say whether nothing is left to chance: the other process swaps at chosen gaps, and only there."""
        return self.run.fixed(SHORT)

    def _pause(self) -> float:
        return STILL if self.fixed else self.draw.choice(PAUSES)

    async def attempt(self, this: Try, doer: Doer, before: int) -> bool:
        """Make one attempt, after so many that did not count, and judge it; say whether it counts.

        It does when something was swapped meanwhile.
        """
        if self.ground.now != self.ground.start:
            self.ground.lay()
        if this.back and (first := await doer.do(this.deed)).how != "acted":
            self.run.breach(f"{this.deed.name} in peace: {first}")
            return True
        inside = self.ground.inside() if this.back else self.ground.now
        self.watch.heard()
        robbed = self.swapper.robbed
        ending, swaps = await self._raced(this, doer, surely=before >= SURELY)
        found = [f"opened or changed outside: {entry}" for entry in self.watch.heard()]
        found += ["something was put over what another program had made"] * (self.swapper.robbed - robbed)
        self._judge(this, ending, [*found, *breaches(self.ground, this.deed, ending, inside, back=this.back)])
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

    async def _raced(self, this: Try, doer: Doer, *, surely: bool) -> tuple[Ending, int]:
        """Let it race; return how it ended, and how many swaps were done meanwhile."""
        key = (this.deed.name, type(doer).__name__, this.back)
        # Denied names are looked for at every attempt that swaps what is above them.
        put(denied_places, REMEMBERED=0 if this.move in ABOVE_DENIED else denied_places.SECOND)
        self.swapper.go(this.move, self._pause())
        swaps = self.swapper.swaps
        self.gaps.choose(EVERYWHERE if surely else self._chosen(self.widest.get(key, 40)))
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
        self.swapper.go("control", self._pause())
        self.run.count("control")
        self.gaps.choose(frozenset() if self.fixed else frozenset({self.draw.randint(1, 12)}))
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
    place = ports.BackendContext({}, ground.home, ground.own, roots, SystemClock(), RandomIds())
    kernel, walk = (Direct(LocalBackend(place, way), between) for way in (syscalls.openat2, syscalls.open_below))
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
            for before in range(PATIENCE):
                if await races.attempt(this, doer, before):
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
    pairs = [(deed.name, move, False) for deed in DEEDS for move in deed.moves]
    pairs += [(deed.name, move, True) for deed in DEEDS for move in deed.back_moves]
    run.coverage |= {
        "shares": shares,
        "deeds": races.told,
        "pairs": f"{len(races.tried)} of {len(pairs)}",
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
    if len(races.tried) < len(pairs):
        tried = {(this.deed.name, this.move, this.back) for this in races.tried}
        missed = [str(pair) for pair in pairs if pair not in tried]
        run.gap(f"{len(missed)} pairs of a deed and a swap were not tried: {', '.join(missed)}")


_ANYHOW = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def by_name() -> None:
    """Check a path by its name, and then open it by its name."""

    def folder(self: sandbox.Confinement, real: str, stack: ExitStack, own: object) -> int:
        if not any(os.path.realpath(real).startswith(root.path) for root in self.roots):
            return _strict(self, real, stack, own)
        opened = os.open(real, _ANYHOW)
        stack.callback(os.close, opened)
        return opened

    _strict: Any = vars(sandbox.Confinement)["_folder"]
    put(sandbox.Confinement, _folder=folder)


def links_followed() -> None:
    """Open folders without asking the kernel to follow no link."""

    def opened(folder: int, path: str) -> int:
        return os.open(path or ".", _ANYHOW, dir_fd=folder)

    put(syscalls, openat2=opened, walked=opened)


def last_name_followed() -> None:
    """Open the last name of a path without O_NOFOLLOW, and believe that it is what was found there."""
    put(sandbox, _READ=vars(sandbox)["_READ"] & ~os.O_NOFOLLOW, same=_always)


def any_file() -> None:
    """Take whatever stands at a path for the thing that was seen when the plan was made."""

    def none(expected: object, now: object) -> str:
        return ""

    put(transaction, difference=none)
    put(steps, difference=none)


def any_folder() -> None:
    """Take whatever folder stands at a path for the one that was seen when the plan was made."""

    def unchecked(self: object, fact: object) -> None:
        return

    put(transaction.Expectations, _same_folder=unchecked)


def parent_by_path() -> None:
    """Find the folder to put something into by its path once more, at the last moment."""
    carry = transaction.carry

    def carried(seen: Any, source: sandbox.Spot, target: sandbox.Spot, *more: Any) -> None:
        if target.is_ours:
            carry(seen, source, target, *more)
            return
        again = os.open(os.path.dirname(target.path), _ANYHOW)
        try:
            carry(seen, source, replace(target, folder=again), *more)
        finally:
            os.close(again)

    put(steps, carry=carried)
    put(creation, carry=carried)


def not_looked_at_again() -> None:
    """Do not look at what was carried away: another thing may have slipped in since it was checked."""
    put(transaction, same=_always)


def put_over() -> None:
    """Rename over whatever has the new name by then."""
    put(syscalls, _NOREPLACE=0)


def way_back_trusted() -> None:
    """Go back up from a folder by `..` without asking whether that is where one came from."""

    def swap(here: int, name: str, expected: object) -> int:
        there = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
        os.close(here)
        return there

    put(measure, _swap=swap)


def shelves_followed() -> None:
    """Look for denied names wherever the folders of a home lead by now."""

    def opened(path: str) -> int:
        return os.open(path, _ANYHOW)

    put(denied_places, from_the_top=opened)


def _always(one: object, other: object) -> bool:
    return True


PLANTED: Planted = {
    "by-name": by_name,
    "links-followed": links_followed,
    "last-name-followed": last_name_followed,
    "any-file": any_file,
    "any-folder": any_folder,
    "parent-by-path": parent_by_path,
    "not-looked-at-again": not_looked_at_again,
    "put-over": put_over,
    "way-back-trusted": way_back_trusted,
    "shelves-followed": shelves_followed,
}


def stopped(number: int, frame: object) -> None:
    """End in an orderly way, so that what is laid out is cleared away."""
    sys.exit(UNUSABLE)


def main() -> int:
    """Run the races; return the exit code."""
    run = start_run("races", PLANTED, N)
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
