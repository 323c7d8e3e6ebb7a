"""The triggers of a home as a person sees them: listed with their state, switched on and off, and made from words."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.entry import Automation
from sayso.assembly.home import Home
from sayso.assembly.own_changes import switched
from sayso.assistant.triggers.due import moment
from sayso.assistant.triggers.schedule import schedule
from sayso.assistant.triggers.spoken import read_spoken
from sayso.core.conversation import Trigger, TriggerState
from sayso.core.errors import SaysoError, SetupError
from sayso.core.quotes import quoted
from sayso.runtime.own_changes import note
from sayso.runtime.results import Document

SHOWN = 3
"""How many of the next times are shown before the person agrees to a new trigger."""
_NAMED_BY = 4
_SMALL = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "into", "is", "it", "its", "me", "my"),
        *("of", "on", "or", "our", "please", "that", "the", "them", "this", "to", "was", "what", "when", "with"),
    }
)
"""Words that say little of a wish, so that a name that left off after one would be cut in the middle."""


class TriggerDocument(Document, frozen=True):
    """A trigger and its state, in JSON."""

    name: str
    says: str
    kind: str
    when: str | None
    missed: str | None
    lines: str | None
    words: str | None
    enabled: bool
    next: str | None
    fired: str | None
    run: str | None
    said: str | None
    wrong: str | None


class TriggerRow(Struct, frozen=True):
    """A trigger with its stored state, the next time of its schedule, and the error in its schedule."""

    trigger: Trigger
    state: TriggerState
    next: str | None
    wrong: str | None

    @property
    def document(self) -> TriggerDocument:
        """Return the row as it is printed and sent in JSON."""
        trigger, state = self.trigger, self.state
        kind = "schedule" if trigger.schedule else trigger.event or ("generator" if trigger.generator else "click")
        return TriggerDocument(
            name=trigger.name,
            says=trigger.says,
            kind=kind,
            when=trigger.when or None,
            missed=trigger.missed if trigger.schedule else None,
            lines=trigger.lines or None,
            words=trigger.words or None,
            enabled=not state.off,
            next=self.next,
            fired=state.fired or None,
            run=state.run or None,
            said=state.said or None,
            wrong=self.wrong,
        )


async def list_trigger(home: Home, trigger: Trigger) -> TriggerRow:
    """Return a trigger with its state and the next time of its schedule."""
    state = await home.journal.triggers.of(trigger.name)
    if not trigger.schedule:
        return TriggerRow(trigger, state, None, None)
    try:
        due = schedule(trigger.schedule, trigger.zone).after(home.tools.clock.now())
    except SaysoError as no:
        return TriggerRow(trigger, state, None, str(no))
    return TriggerRow(trigger, state, moment(due) if due else None, None)


async def switch_trigger(home: Home, name: str, *, off: bool, by: str) -> str:
    """Switch a trigger off or on, and return its name as the settings write it."""
    trigger, states = Automation(home).called(name), home.journal.triggers
    now = moment(home.tools.clock.now())
    while True:
        state = await states.of(trigger.name)
        # Times that passed while the trigger was disabled do not count as missed.
        seen = now if state.off and not off and state.seen else state.seen
        if await states.move(replace(state, off=off, seen=seen)):
            if state.off != off:
                await note(home.tools, [switched(trigger.name, off=off)], by=by)
            return trigger.name


class NewTrigger(Struct, frozen=True):
    """What was understood of the words for a new trigger: its name, when it is due, and the wish."""

    name: str
    schedule: str
    words: str
    """When it is due, in words."""
    wish: str
    due: tuple[datetime, ...]
    """The next times."""

    @property
    def table(self) -> dict[str, str]:
        """Return the trigger as the settings write it."""
        return {"name": self.name, "says": self.wish, "schedule": self.schedule, "words": self.wish}


def new_trigger(text: str, name: str, there: Sequence[Trigger], now: datetime) -> NewTrigger:
    """Return what the words say; without a name, it is named after the wish.

    Raises `SetupError` if the words are unclear, or if there is a trigger of this name.
    """
    spoken = read_spoken(text)
    taken = {one.name.casefold() for one in there}
    name = name or _name_for(spoken.wish, taken)
    if name.casefold() in taken:
        raise SetupError(f"there is a trigger called {quoted(name)} already; choose another name", "trigger.name")
    return NewTrigger(
        name, spoken.schedule, spoken.words, spoken.wish, tuple(islice(_coming(spoken.schedule, now), SHOWN))
    )


def _name_for(wish: str, taken: Collection[str]) -> str:
    """Return a name from the first words of a wish that say something, which no trigger has yet."""
    words = ["".join(letter for letter in word.lower() if letter.isalnum()) for word in wish.split()]
    telling = [word for word in words if word and word not in _SMALL] or [word for word in words if word]
    base = "-".join(telling[:_NAMED_BY]) or "trigger"
    names = (base, *(f"{base}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _coming(text: str, now: datetime) -> Iterator[datetime]:
    """Yield the times at which a schedule is due from now on."""
    times, at = schedule(text), now
    while (due := times.after(at)) is not None:
        yield due
        at = due
