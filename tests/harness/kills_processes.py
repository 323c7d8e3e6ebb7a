"""What processes are at that say yes, that pause before they act, and in whose way somebody else gets."""

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import sayso
from sayso.core.decision import Question
from sayso.core.errors import Stale
from sayso.core.ports import Approver, Ids, KillPoint, no_kill_point
from sayso.runtime.system import RandomIds
from tests.journeys.dying import Scene, Work
from tests.journeys.ground import yes


def waiting(scene: Scene) -> Work:
    """Return the work of proposing the deed where nobody can answer."""

    async def work() -> None:
        async with scene.ground.opened() as home:
            await home.run(scene.deed.text)

    return work


def approving(scene: Scene, run: str, kill: KillPoint = no_kill_point, approver: Approver | None = None) -> Work:
    """Return the work of saying yes to a run that waits."""

    async def work() -> None:
        async with scene.ground.opened(kill=kill) as home:
            await home.approve(run, approver or yes())

    return work


@dataclass
class GetsInTheWay:
    """A kill point at which somebody else gets in the way; the process dies at the next one."""

    label: str
    at: int
    deed: Callable[[], object]
    seen: int = 0
    came: bool = False

    def __call__(self, label: str) -> None:
        """Count, and let it come when it is time."""
        self.seen += 1
        if self.came:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.seen == self.at or (not self.at and label == self.label):
            self.deed()
            self.came = True


@dataclass
class Patient(Ids):
    """Ids that are given out only once `pause` is over, the first time."""

    pause: Callable[[], None]
    ids: RandomIds = field(default_factory=RandomIds)
    paused: bool = False

    def key(self) -> int:
        """Return the next key."""
        if not self.paused:
            self.paused = True
            self.pause()
        return self.ids.key()

    def token(self) -> str:
        """Return a token."""
        return self.ids.token()


def a_second(scene: Scene, run: str, pause: Callable[[], None]) -> Work:
    """Return the work of a process that has looked, pauses, and then does what it was about to do."""

    def yes_after_all(_: Question) -> bool:
        pause()
        return True

    async def take_back() -> None:
        async with scene.ground.opened(ids=Patient(pause)) as home:
            with suppress(Stale):
                await home.undo(scene.ground.rows()[0].run)

    return approving(scene, run, approver=sayso.Client(yes_after_all)) if run else take_back


def shows_begun(database: Path, child: int) -> bool:
    """Wait until the journal shows that an action has begun; False when the process has ended before."""
    journal = sqlite3.connect(f"file:{database}?mode=ro", uri=True, isolation_level=None)
    try:
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            with suppress(sqlite3.OperationalError):
                if journal.execute("SELECT 1 FROM action WHERE state = 'running' LIMIT 1").fetchone():
                    return True
        return False
    finally:
        journal.close()
