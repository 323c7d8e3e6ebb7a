"""Decide what becomes of a trigger at a moment, as plain functions of what is kept of it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sayso.assistant.triggers.schedule import schedule
from sayso.core.conversation import Trigger, TriggerState

How = Literal["due", "missed", "skipped", "off", "cooling"]
"""It runs now; it runs now because nobody watched its time; its time was passed over for one of three reasons."""
LATE = timedelta(minutes=2)
"""A due time that is longer ago was missed."""
AHEAD = timedelta(days=1)
"""A clock that was so far ahead was wrong, and what it made of a trigger does not count."""
MOST_KNOWN = 20_000
"""More than are ever there at once; of mails, which leave and come back, so many of the newest are remembered."""
BEGUN = "it began, and its end was not written down"


class Due(Struct, frozen=True):
    """Something is due: of which trigger, since when, and what becomes of it."""

    trigger: Trigger
    how: How
    at: datetime
    what: tuple[str, ...] = ()
    """What happened, in strangers' words: names of files, subjects of mails, titles of events."""
    began: str = ""
    """What is kept as the time when it began."""

    @property
    def runs(self) -> bool:
        """Say whether it runs."""
        return self.how in {"due", "missed"}


Next = tuple[TriggerState, Due | None]
"""What is to be kept from then on, and what is due."""


def of_schedule(trigger: Trigger, state: TriggerState, now: datetime, *, on: bool) -> Next:
    """Say whether a time of the schedule has come, of many only the last; what is switched off passes over it."""
    times = schedule(trigger.schedule, trigger.zone)
    if _is_new(trigger, state, now):
        return replace(state, when=trigger.when, seen=moment(now)), None
    at = times.last(datetime.fromisoformat(state.seen), now)
    if at is None:
        return state, None
    how: How = "due"
    if not on:
        how = "off"
    elif cooling(state, trigger.cooldown_minutes, now):
        how = "cooling"
    elif now - at > LATE:
        how = "missed" if trigger.missed == "run" else "skipped"
    return _advance_state(replace(state, seen=moment(at)), Due(trigger, how, at), now)


def of_event(trigger: Trigger, state: TriggerState, now: datetime, there: Mapping[str, str], *, on: bool) -> Next:
    """Say whether something is there that was not before, by names and what a person calls it.

    What is there at first is old, but for events of the calendar. While it cools down what comes is left for later.
    """
    if _is_new(trigger, state, now):
        state = replace(
            state, when=trigger.when, seen=moment(now), known=() if trigger.event == "calendar" else state.known
        )
        if trigger.event != "calendar":
            return replace(state, known=tuple(there)[:MOST_KNOWN]), None
    new = [name for name in there if name not in set(state.known)]
    # A mail that leaves the inbox and comes back is not new; a file that was deleted and is made again is.
    old = [name for name in state.known if trigger.event == "mail" or name in there]
    if not new:
        return (state if len(old) == len(state.known) else replace(state, known=tuple(old))), None
    if on and cooling(state, trigger.cooldown_minutes, now):
        return state, None
    due = Due(trigger, "due" if on else "off", now, tuple(there[name] for name in new))
    return _advance_state(replace(state, known=tuple([*new, *old][:MOST_KNOWN])), due, now)


def cooling(state: TriggerState, minutes: float, now: datetime) -> bool:
    """Say whether it fired less than so many minutes ago; exactly so many minutes later it may again (T-54)."""
    if not state.fired or not minutes:
        return False
    return timedelta() <= now - datetime.fromisoformat(state.fired) < timedelta(minutes=minutes)


def begin_run(state: TriggerState, now: datetime) -> TriggerState:
    """Return what is kept of it from the moment it begins to run."""
    return replace(state, fired=moment(now), run="", said=BEGUN)


def moment(time: datetime) -> str:
    """Write a time as it is kept."""
    return time.astimezone(UTC).isoformat()


def _is_new(trigger: Trigger, state: TriggerState, now: datetime) -> bool:
    """Say whether nothing is kept yet, or it is about other times than the settings name now."""
    return not state.seen or state.when != trigger.when or datetime.fromisoformat(state.seen) > now + AHEAD


def _advance_state(state: TriggerState, due: Due, now: datetime) -> Next:
    return (begin_run(state, now), replace(due, began=moment(now))) if due.runs else (state, due)
