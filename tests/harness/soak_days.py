"""One simulated working day of a long-lived program: every outcome an action can have, each checked."""

import shutil
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from sayso.assembly import Home
from sayso.core.errors import SaysoError
from sayso.runtime.maintenance import Maintenance
from sayso.runtime.questions import Client
from sayso.runtime.results import Report
from sayso.runtime.system import SystemClock
from tests.harness.long_run import Run
from tests.journeys.ground import a_file

SETTINGS = (
    '[desktop]\nkind = "memory"\n[tasks]\nkind = "memory"\n'
    '[policy]\nmode = "{mode}"\nundo_keep = "1d"\naudit_keep = "1d"\nwaiting_expires = "{expires}"\n'
)
NAMES = 6
"""How many files there are to work on."""


class Forward:
    """The clock of this machine, moved on by whole days."""

    def __init__(self) -> None:
        self._real = SystemClock()
        self._shift = timedelta()

    def now(self) -> datetime:
        """Return the moved time."""
        return self._real.now() + self._shift

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return self._real.monotonic() + self._shift.total_seconds()

    def to_tomorrow(self) -> None:
        """Let a day, and a little more, pass."""
        self._shift += timedelta(hours=25)


class Days:
    """Works on a home's files; the run is told when something came out otherwise than it must."""

    def __init__(self, run: Run, home: Path, own: Path, clock: Forward) -> None:
        self._run = run
        self._random = Random(run.seed)
        self._files = home / "Documents"
        self._trash = home / ".local" / "share" / "Trash"
        self._config = own / "config.toml"
        self._clock = clock
        self._number = 0
        self.deeds: tuple[Callable[[Home], Awaitable[None]], ...] = (
            self._allowed, self._overwritten, self._moved_and_back, self._deleted, self._declined, self._refused,
            self._unreadable, self._waits, self._waits_and_is_approved, self._batch, self._dry, self._reads, self._task,
        )  # fmt: skip
        for number in range(NAMES):
            a_file(self._files / f"f{number}.txt", f"{number}\n")
        self.settle_on("destructive", "12h")

    def settle_on(self, mode: str, expires: str) -> None:
        """Write settings."""
        self._config.write_text(SETTINGS.format(mode=mode, expires=expires), "utf-8")
        self._config.chmod(0o600)

    async def one(self, home: Home) -> None:
        """Do the next thing."""
        deed = self.deeds[self._number % len(self.deeds)]
        self._number += 1
        self._run.count("actions")
        try:
            await deed(home)
        except SaysoError as wrong:
            self._run.breach(f"{deed.__name__}: {wrong}")

    async def night(self, home: Home) -> None:
        """Let a day pass: settings change, what waited is over, old ways back are let go, the Trash is emptied."""
        mode = self._random.choice(["destructive", "always", "never"])
        self.settle_on(mode, self._random.choice(["6h", "12h", "20h"]))
        if home.settings.policy.mode != mode:
            self._run.breach(f"the settings say {mode}, and {home.settings.policy.mode} still holds")
        self._clock.to_tomorrow()
        if await home.pending():
            self._run.breach("what waited a day is waiting still, though it had less time")
        await Maintenance(home.tools, home.settings.places.upkeep, home.journal.prune).daily()
        if self._trash.exists():
            shutil.rmtree(self._trash)
        self._run.count("nights")

    def _name(self) -> str:
        return f"~/Documents/f{self._random.randrange(NAMES)}.txt"

    def _expect(self, what: str, report: Report, *states: str) -> None:
        found = [outcome.record.state.value for outcome in report.outcomes]
        self._run.count(what)
        if found != list(states):
            said = [outcome.record.marks.error for outcome in report.outcomes]
            self._run.breach(f"{what}: {found} instead of {list(states)}: {said}")

    async def _allowed(self, home: Home) -> None:
        report = await home.run(f'WRITE_FILE ~/Documents/new{self._number}.txt "x"', approver=YES)
        self._expect("allowed", report, "done")
        (self._files / f"new{self._number}.txt").unlink()

    async def _overwritten(self, home: Home) -> None:
        text = "y" * self._random.randrange(1, 5000)
        self._expect("overwritten", await home.run(f'WRITE_FILE {self._name()} "{text}"', approver=YES), "done")

    async def _moved_and_back(self, home: Home) -> None:
        report = await home.run(f"MOVE_FILE {self._name()} ~/Documents/elsewhere.txt", approver=YES)
        self._expect("moved", report, "done")
        self._expect("taken back", await home.undo(report.run), "done")

    async def _deleted(self, home: Home) -> None:
        report = await home.run(f"DELETE_FILE {self._name()}", approver=YES)
        self._expect("deleted", report, "done")
        self._expect("brought back", await home.undo(report.run), "done")

    async def _declined(self, home: Home) -> None:
        report = await home.run(f"DELETE_FILE {self._name()}", approver=Client(lambda question: False))
        self._expect("declined", report, "declined")

    async def _refused(self, home: Home) -> None:
        self._expect("refused", await home.run("MOVE_FILE /etc/hosts ~/Documents/h", approver=YES), "refused")

    async def _unreadable(self, home: Home) -> None:
        self._expect("unreadable", await home.run('SPEAK "never closed', approver=YES), "invalid")

    async def _waits(self, home: Home) -> None:
        self._expect("left waiting", await home.run(f"DELETE_FILE {self._name()}"), "waiting")

    async def _waits_and_is_approved(self, home: Home) -> None:
        report = await home.run('TASK_ADD "approved later"')
        self._expect("waited", report, "waiting")
        self._expect("approved later", await home.approve(report.run, YES), "done")

    async def _batch(self, home: Home) -> None:
        text = (
            "CREATE_FOLDER ~/Documents/in\n"
            "COPY_FILE ~/Documents/f0.txt ~/Documents/in/f.txt\n"
            "APPEND_FILE ~/Documents/in/f.txt z"
        )
        report = await home.run(text, approver=YES)
        self._expect("batch", report, "done", "done", "done")
        self._expect("batch taken back", await home.undo(report.run), "done", "done", "done")

    async def _dry(self, home: Home) -> None:
        self._expect("planned", await home.run(f"DELETE_FILE {self._name()}", dry_run=True), "planned")

    async def _reads(self, home: Home) -> None:
        text = f'FILE_LIST ~/Documents\nFILE_READ {self._name()}\nSPEAK "x"'
        self._expect("read", await home.run(text, approver=YES), "done", "done", "done")

    async def _task(self, home: Home) -> None:
        self._expect("task", await home.run("HABIT_ADD walk 24", approver=YES), "done")


YES = Client(lambda question: True)
