"""Ring the person's reminders: find those that are due, and claim each for one host, so that it rings once at most."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta, tzinfo

from msgspec import Struct
from msgspec.structs import replace

from sayso.assistant.triggers.due import AHEAD, LATE, moment
from sayso.core.conversation import TriggerState, TriggerStates
from sayso.core.ports import Clock
from sayso.providers.calendar.event_texts import at
from sayso.providers.calendar.repeats import Ring, rings
from sayso.providers.calendar.store import Reminder

STATE = "\nreminders"
"""The name of the stored state; no trigger can have it, since a trigger's name is one line."""
FIRST = timedelta(days=1)
"""How long ago a reminder may have been due that rings when reminders are looked after for the first time."""
BACK = timedelta(hours=1)
"""How long ago a reminder may have been due that was not there yet when others of that time rang."""
KEPT = timedelta(minutes=30)
"""How often the time of the last look is stored if nothing rings."""
AT_ONCE = 5
"""Maximum number of reminders that ring one by one; the others of that moment are counted."""
MOST_NOTES = 300
AGAIN = timedelta(minutes=1)
"""How long to wait before what could not be shown is tried again, as the desktop may start later than the service."""
MOST_TRIES = 30


class OpenReminders(Struct, frozen=True):
    """The open reminders, and the zone in which days begin."""

    reminders: tuple[Reminder, ...]
    zone: tzinfo


class Notice(Struct, frozen=True):
    """What is shown when a reminder rings."""

    title: str
    message: str
    key: str = ""
    """Which ring this is (`Ring.key`); empty for a notice that counts several."""


class ShownNotices(Struct, frozen=True):
    """How showing notifications ended, in a few words, and which of them were certainly not shown."""

    ended: str
    failed: tuple[Notice, ...] = ()


class ReminderServices(Struct, frozen=True):
    """The functions of a home that ring reminders."""

    reminders: Callable[[], Awaitable[OpenReminders | None]]
    """Returns the open reminders; None if they are not to ring. Raises `SaysoError`."""
    show: Callable[[Sequence[Notice]], Awaitable[ShownNotices]]
    """Shows notifications."""


class ReminderBell:
    """Rings reminders for one host; of several hosts on one journal, only one rings each."""

    def __init__(self, world: ReminderServices, states: TriggerStates, clock: Clock) -> None:
        self._world = world
        self._states = states
        self._clock = clock
        self.next: datetime | None = None
        """When the next reminder rings, as far as the last look shows."""
        self._failed: tuple[Notice, ...] = ()
        self._tries = 0
        self._again = clock.now()

    async def look(self, ahead: timedelta) -> tuple[Notice, ...]:
        """Claim what is due now, and return what to show. Raises `SaysoError`.

        What was due while the computer slept, or while no host ran, is returned at the first look after that.
        """
        now = self._clock.now()
        self.next = None
        found = await self._world.reminders()
        if found is None:
            return ()
        state = await self._states.of(STATE)
        since = _since(state, now)
        due = [ring for ring in rings(found.reminders, since, now, found.zone) if ring.key not in state.known]
        self._forget_gone(found, now)
        coming = rings(found.reminders, now, now + ahead, found.zone)
        self.next = coming[0].at if coming else None
        if not due and state.seen and now - datetime.fromisoformat(state.seen) < KEPT:
            return ()
        known = tuple(key for key in (*state.known, *(ring.key for ring in due)) if _time_of(key) > now - AHEAD)
        taken = await self._states.move(
            replace(state, seen=moment(now), known=known, fired=moment(now) if due else state.fired)
        )
        return notices(due, now, found.zone) if taken else ()

    def _forget_gone(self, found: OpenReminders, now: datetime) -> None:
        """Try no more to show what was deleted, done or moved since it was due."""
        keys = [notice.key for notice in self._failed if notice.key]
        if keys:
            since = min(map(_time_of, keys)) - timedelta(seconds=1)
            still = {ring.key for ring in rings(found.reminders, since, now, found.zone)}
            self._failed = tuple(notice for notice in self._failed if not notice.key or notice.key in still)

    async def show(self, due: Sequence[Notice]) -> str:
        """Show notifications, and what could not be shown before; return how that ended. Raises `SaysoError`.

        Nothing that may have been shown is shown again. What was certainly not is tried for half an hour.
        """
        now = self._clock.now()
        again = self._failed if now >= self._again else ()
        if not due and not again:
            return ""
        shown = await self._world.show((*again, *due))
        self._failed = (*(() if again else self._failed), *shown.failed)
        self._tries = self._tries + 1 if again and self._failed else 0
        if self._tries >= MOST_TRIES:
            self._failed = ()
        self._again = now + AGAIN
        return shown.ended


def _since(state: TriggerState, now: datetime) -> datetime:
    if not state.seen:
        return now - FIRST
    return min(datetime.fromisoformat(state.seen), now) - BACK


def _time_of(key: str) -> datetime:
    return datetime.fromisoformat(key.rpartition(" ")[2])


def notices(due: Sequence[Ring], now: datetime, zone: tzinfo) -> tuple[Notice, ...]:
    """Return what is shown of reminders that ring at one moment: the latest ones, and how many more there are."""
    shown = tuple(_notice(ring, now, zone) for ring in due[-AT_ONCE:])
    more = len(due) - len(shown)
    if not more:
        return shown
    were = "1 more reminder was due" if more == 1 else f"{more} more reminders were due"
    return (Notice(were, "“sayso reminder” lists them"), *shown)


def _notice(ring: Ring, now: datetime, zone: tzinfo) -> Notice:
    due, today = at(ring.due, zone), now.astimezone(zone).date()
    days = (due.date() - today).days
    day = {0: "", -1: "yesterday", 1: "tomorrow"}.get(days, due.date().isoformat())
    clock = f"{due:%H:%M}" if "T" in ring.due else "" if day else "today"
    was = "was due" if now - ring.at > LATE else "due"
    notes = ring.reminder.notes.strip()
    cut = notes if len(notes) <= MOST_NOTES else f"{notes[:MOST_NOTES]}…"
    said = " ".join(word for word in (was, day, clock) if word)
    return Notice(ring.reminder.title or "(without a title)", f"{said}\n{cut}" if cut else said, ring.key)
