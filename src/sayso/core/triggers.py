"""What starts an automation, and the socket for what is kept of it between two times."""

from typing import Literal, Protocol

from sayso.core.values import dataclass

Missed = Literal["run", "skip"]
Happening = Literal["file", "mail", "calendar"]


@dataclass(frozen=True)
class Trigger:
    """One `[[trigger]]` of the settings: when it fires, and what it runs then. What is not said is empty."""

    name: str
    says: str
    """What it is for, in the person's words; a model is told this (S0-67)."""
    schedule: str = ""
    """`daily 18:00` or five fields of cron."""
    zone: str = ""
    """The IANA name of the time zone of the schedule; empty for the computer's own."""
    event: Happening | None = None
    folder: str = ""
    """Where a file is waited for, absolute."""
    pattern: str = "*"
    """How the name of such a file looks."""
    minutes_before: int = 10
    """How long before an event of the calendar."""
    generator: str = ""
    """The name of the generator that decides."""
    lines: str = ""
    """Commands in the `lines` dialect that are run."""
    words: str = ""
    """What a model is asked to do."""
    missed: Missed = "run"
    """What becomes of a due time that nobody watched: run once now, or skip."""
    cooldown_minutes: int = 0
    """It does not fire again for so long."""

    @property
    def when(self) -> str:
        """Return when it fires, as the settings say it; empty for one that is fired by hand alone."""
        if self.event is not None:
            return {"file": f"a file {self.pattern} in {self.folder}", "mail": "new mail"}.get(
                self.event, f"{self.minutes_before} minutes before an event"
            )
        return f"{self.schedule} {self.zone}".rstrip() or self.generator


@dataclass(frozen=True)
class TriggerState:
    """What is kept of a trigger between two times. Times are ISO 8601 in UTC, empty where there is none."""

    name: str
    turn: int = 0
    """How often it has moved on."""
    off: bool = False
    """The person disabled it."""
    when: str = ""
    """What `seen` and `known` are about: when it fired by the settings of then."""
    seen: str = ""
    """Due times up to this moment are taken care of."""
    known: tuple[str, ...] = ()
    """What it has fired for, or was there before it: paths, ids of mails, events with their starts."""
    fired: str = ""
    """When it last began to run, or its generator produced an action (T-54)."""
    run: str = ""
    """The run that came of it; empty while it is under way, and where it was cut short."""
    said: str = ""
    """What came of it, in one sentence."""


class TriggerStates(Protocol):
    """What is kept of triggers. Raises `SetupError` where it cannot be written or read."""

    async def of(self, name: str) -> TriggerState:
        """Return what is kept of one; a new one where nothing is."""
        ...

    async def move(self, to: TriggerState) -> bool:
        """Write it with its turn counted on, if nobody moved it on since `to` was read; return whether it was.

        Of several processes that want to take care of one due time, one wins.
        """
        ...
