"""Run one try: home, operation, kill, what the other user does meanwhile, recovery, and undo."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from sayso.core.ports import KillPoint, no_kill_point
from tests.harness.kills_deeds import (
    TEXTS,
    Cell,
    GetsInTheWay,
    Program,
    Way,
    a_second,
    approving,
    ends,
    laid,
    shows_begun,
    waiting,
)
from tests.harness.long_run import Run
from tests.journeys.dying import DiesAt, DiesOn, Scene, Work, how_it_ended, in_child, started
from tests.patience import patience

KILLED = -signal.SIGKILL
AGAIN, TAKEN_BACK = 0.2, 0.5
"""How often a settled home is opened once more, and how often all that was done is taken back at last."""
PATIENCE = round(patience(120))
"""Seconds after which a try hangs, and the run with it is given up."""


class Other(StrEnum):
    """What somebody else does about the deed itself, besides working on things of their own."""

    NOTHING = ""
    STANDS_THERE = "stands there"
    """After the death, they take away what stands where the deed makes something, and put their own there."""
    TAKES = "takes"
    """They do that, and take away what the deed takes too."""
    GOES_IN = "goes in"
    """After the death, they put something into the folder that the deed makes."""
    FIRST = "first"
    """They stand there while the deed is being done, before it comes to that."""


@dataclass(frozen=True)
class Try:
    """One deed and its death.

    It dies at the label that comes by as number `at`, or first by this name; without either at a moment after
    *begun*. `second`: another process is about to do the very same, and goes on after the death.
    """

    deed: str
    way: Way
    asked: bool = False
    label: str = ""
    at: int = 0
    number: int = 0
    """Which of the deed's actions somebody else gets in the way of."""
    operation: str = ""
    other: Other = Other.NOTHING
    recovering: tuple[str, ...] = ()
    second: bool = False
    inside: bool = True


@dataclass
class Span:
    """How long after *begun* a process is killed at most; it follows what was found."""

    seconds: float = 0.004

    def was(self, *, inside: bool) -> None:
        """Learn from one kill."""
        self.seconds = self.seconds * 1.05 if inside else max(self.seconds * 0.8, 0.0003)


@dataclass
class Tries:
    """Goes through one try after another, and counts."""

    run: Run
    rng: random.Random
    template: Path
    base: Path
    auditor: Program
    outsider: Program
    cells: dict[Cell, int] = field(default_factory=dict[Cell, int])
    kills: int = 0
    inside: int = 0
    recoveries: int = 0
    _spans: dict[tuple[str, Way], Span] = field(default_factory=dict[tuple[str, Way], Span])
    _tried: int = 0

    @property
    def all_kills(self) -> int:
        """Return how many processes were killed."""
        return self.kills + self.recoveries

    def go(self, one: Try) -> None:
        """Go through a try."""
        self._tried += 1
        signal.alarm(PATIENCE)
        base = self.base / str(self._tried)
        scene = laid(self.template, base, TEXTS[one.deed], asked=one.asked or one.second, way=one.way)
        self.outsider.tell("come", str(base), self.rng.randrange(2**32))
        self.auditor.tell("look", str(base), "start")
        if one.way is Way.UNDO:
            self._must_end_well(one, scene.doing(no_kill_point))
        if one.second:
            self._with_a_second(one, scene)
        elif one.label:
            kill = DiesAt(one.at) if one.at else DiesOn(one.label)
            self._dead(one, scene, self._beside(lambda: in_child(scene.dying(self._kill(one, kill)))))
        else:
            self._dead(one, scene, self._beside(lambda: self._at_a_moment(one, scene)))
        self._recovered(one, scene)
        shutil.rmtree(base)

    # --- dying -------------------------------------------------------------------------------------------

    def _kill(self, one: Try, kill: KillPoint) -> KillPoint:
        if one.other is not Other.FIRST:
            return kill
        end = ends(TEXTS[one.deed])[one.number]
        place, kind = (end.taken, "f") if one.way is Way.UNDO and end.taken else (end.made, end.kind)
        return GetsInTheWay(one.label, one.at, lambda: self.outsider.tell("occupy", place, kind))

    def _beside(self, work: Callable[[], int]) -> int:
        """Do this while somebody else is at work beside it."""
        self.outsider.tell("work")
        done = work()
        self.outsider.tell("rest")
        return done

    def _at_a_moment(self, one: Try, scene: Scene) -> int:
        """Kill at a moment after the journal shows that it has begun."""
        span = self._spans.setdefault((one.deed, one.way), Span())
        child = started(scene.dying(no_kill_point))
        if shows_begun(scene.ground.own / "sayso.db", child):
            moment = time.perf_counter() + self.rng.uniform(0, span.seconds)
            while time.perf_counter() < moment:
                pass
        os.kill(child, signal.SIGKILL)
        return how_it_ended(child)

    def _dead(self, one: Try, scene: Scene, ended: int) -> None:
        """Hold what a death left."""
        inside = self._held(one, scene, "dead")
        if one.label == "" and not one.second:
            self._spans[one.deed, one.way].was(inside=ended == KILLED and inside)
        if ended != KILLED:
            self.run.count("ended by themselves")
            if ended != 0:
                self.run.breach(f"{one}: ended with {ended}")
            return
        self.kills += 1
        self.inside += inside
        self.run.count(f"killed at a {'boundary' if one.label else 'moment'}")
        if one.operation and one.other is not Other.FIRST:
            self._cover(Cell(one.operation, one.way, one.label))

    def _with_a_second(self, one: Try, scene: Scene) -> None:
        """Let another process be about to do the same, and go on once the first has died."""
        run = ""
        if one.way is Way.DO:
            self._must_end_well(one, waiting(scene))
            run = scene.ground.rows()[0].run
        (ready, is_ready), (goes_on, go_on) = os.pipe(), os.pipe()

        def pause() -> None:
            os.write(is_ready, b".")
            os.read(goes_on, 1)

        other = started(a_second(scene, run, pause))
        os.close(is_ready)
        if not os.read(ready, 1):
            self.run.breach(f"{one}: the second process did not come to where it would act")
        first = approving(scene, run, DiesOn(one.label)) if run else scene.taking_back(DiesOn(one.label))
        self._dead(one, scene, self._beside(lambda: in_child(first)))
        os.write(go_on, b".")
        if how_it_ended(other) != 0:
            self.run.breach(f"{one}: the second process ended badly")
        for pipe in (ready, goes_on, go_on):
            os.close(pipe)
        self.run.count("with a second process")
        self._held(one, scene, "second")

    # --- recovering --------------------------------------------------------------------------------------

    def _recovered(self, one: Try, scene: Scene) -> None:
        self._somebody_else(one)
        for label in one.recovering:
            running = [row for row in scene.ground.rows() if row.state == "running"]
            if not running:
                break
            if self._beside(lambda at=label: in_child(scene.opening(DiesOn(at)))) == KILLED:
                self.recoveries += 1
                self.inside += self._held(one, scene, "dead")
                self.run.count("recovery killed")
                if one.operation:
                    self._cover(Cell(one.operation, Way.RECOVERY, label))
        self._must_end_well(one, scene.opening())
        self._held(one, scene, "settled")
        if self.rng.random() < AGAIN:
            self._must_end_well(one, scene.opening())
            self._held(one, scene, "again")
        may = self.rng.random() < TAKEN_BACK
        if may and any(row.state == "done" and row.undo_of is None for row in scene.ground.rows()):
            self._must_end_well(one, scene.taking_back(no_kill_point))
            self._held(one, scene, "undone")

    def _somebody_else(self, one: Try) -> None:
        """Let somebody else get in the way, now that the process is dead."""
        if one.other in {Other.NOTHING, Other.FIRST}:
            return
        made, kind, taken = ends(TEXTS[one.deed])[one.number]
        if one.way is Way.UNDO and taken:
            made, kind, taken = taken, "f", made
        if one.other is Other.GOES_IN:
            self.outsider.tell("into", made)
            return
        self.outsider.tell("occupy", made, kind)
        if one.other is Other.TAKES and taken and taken != made:
            self.outsider.tell("take", taken)

    # --- holding -----------------------------------------------------------------------------------------

    def _held(self, one: Try, scene: Scene, phase: str) -> bool:
        answer = self.auditor.tell("look", str(scene.ground.base), phase)
        self.run.count("looks of the auditor")
        for broken in answer["broken"]:
            self.run.breach(f"{one}, {phase}: {broken}; {answer['states']}")
        if phase == "settled":
            for state in answer["states"]:
                self.run.count(f"ended as {state.split()[1]}")
        return answer["inside"]

    def _must_end_well(self, one: Try, work: Work) -> None:
        ended = self._beside(lambda: in_child(work))
        if ended != 0:
            self.run.breach(f"{one}: a process that nobody killed ended with {ended}")

    def _cover(self, cell: Cell) -> None:
        self.cells[cell] = self.cells.get(cell, 0) + 1
