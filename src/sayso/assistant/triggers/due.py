"""Decide whether a trigger runs now, as plain functions of its stored state."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sayso.assistant.triggers.schedule import schedule
from sayso.core.conversation import Trigger, TriggerState

How = Literal["due", "missed", "skipped", "off", "cooling"]
"""How a due time is handled: `due` and `missed` run now, the others are passed over."""
LATE = timedelta(minutes=2)
"""A due time that is longer ago than this was missed."""
AHEAD = timedelta(days=1)
"""A stored time that is further in the future than this comes from a wrong clock, and is ignored."""
MOST_KNOWN = 20_000
"""Maximum number of names that are stored; the newest are kept.

Only mails can be that many, because their names stay stored after the mails leave the inbox.
"""
BEGUN = "it began, and how it ended was not recorded"


class Due(Struct, frozen=True):
    """A trigger that is due: the time, and how it is handled."""

    trigger: Trigger
    how: How
    at: datetime
    what: tuple[str, ...] = ()
    """Descriptions of the events, in strangers' words: names of files, subjects of mails, titles of events."""
    began: str = ""
    """The start of the run as stored in the trigger's state; empty if it does not run."""

    @property
    def runs(self) -> bool:
        """Say whether the trigger runs now."""
        return self.how in {"due", "missed"}


Next = tuple[TriggerState, Due | None]
"""The state to store, and what is due, if anything."""


def of_schedule(trigger: Trigger, state: TriggerState, now: datetime, *, on: bool) -> Next:
    """Return the next state of a scheduled trigger, and what is due.

    If several due times have passed, only the last one counts. If `on` is false, the trigger does not run for it.
    """
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
    """Return the next state of an event trigger, and what is due.

    `there` has the description of each file, mail or event that exists now, by its stable name. Files and mails that
    exist when the trigger is new do not start it, but calendar events do. During the cooldown the state does not
    change, so that what is new then starts the trigger later.
    """
    if _is_new(trigger, state, now):
        state = replace(
            state, when=trigger.when, seen=moment(now), known=() if trigger.event == "calendar" else state.known
        )
        if trigger.event != "calendar":
            return replace(state, known=tuple(there)[:MOST_KNOWN]), None
    new = [name for name in there if name not in set(state.known)]
    # A mail that returns to the inbox is not new. A file that was deleted and created again is new.
    old = [name for name in state.known if trigger.event == "mail" or name in there]
    if not new:
        return (state if len(old) == len(state.known) else replace(state, known=tuple(old))), None
    if on and cooling(state, trigger.cooldown_minutes, now):
        return state, None
    due = Due(trigger, "due" if on else "off", now, tuple(there[name] for name in new))
    return _advance_state(replace(state, known=tuple([*new, *old][:MOST_KNOWN])), due, now)


def cooling(state: TriggerState, minutes: float, now: datetime) -> bool:
    """Say whether the trigger fired less than `minutes` ago; exactly `minutes` later it may fire again (T-54)."""
    if not state.fired or not minutes:
        return False
    return timedelta() <= now - datetime.fromisoformat(state.fired) < timedelta(minutes=minutes)


def begin_run(state: TriggerState, now: datetime) -> TriggerState:
    """Return the state of a trigger whose run begins at `now`."""
    return replace(state, fired=moment(now), run="", said=BEGUN)


def moment(time: datetime) -> str:
    """Return a time in the format of the stored state."""
    return time.astimezone(UTC).isoformat()


def _is_new(trigger: Trigger, state: TriggerState, now: datetime) -> bool:
    """Say whether the stored state is empty, belongs to other settings, or was written with a wrong clock."""
    return not state.seen or state.when != trigger.when or datetime.fromisoformat(state.seen) > now + AHEAD


def _advance_state(state: TriggerState, due: Due, now: datetime) -> Next:
    return (begin_run(state, now), replace(due, began=moment(now))) if due.runs else (state, due)
