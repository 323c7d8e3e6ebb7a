"""Host the triggers: look again and again what is due, let one of all hosts take it, and see it through."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from anyio import create_task_group
from msgspec import Struct
from msgspec.structs import replace

from sayso.assistant.triggers.due import Due, Next, begin_run, cooling, moment, of_event, of_schedule
from sayso.assistant.triggers.events import GeneratedAction, Generator, GeneratorInput
from sayso.assistant.triggers.schedule import schedule
from sayso.core.conversation import Trigger, TriggerState, TriggerStates
from sayso.core.errors import Refused, SaysoError
from sayso.core.ports import Clock
from sayso.policy.settings import Policy


def must_be_on(policy: Policy) -> None:
    """Raise `Refused` while automation is off, or everything is paused."""
    if policy.paused:
        raise Refused("everything is paused; “sayso resume” lets actions run again", "policy.paused")
    if not policy.automation:
        raise Refused("automation is off; “sayso config set automation.enabled true” turns it on", "automation.off")


LONGEST = 20.0
"""Seconds until the next look at the latest: events are looked for so often, and changed settings are seen."""


class TriggerRun(Struct, frozen=True):
    """What came of a trigger: the run, where there was one, and one sentence."""

    run: str
    said: str


class TriggerServices(Struct, frozen=True):
    """What a host needs of a home."""

    triggers: Callable[[], Sequence[Trigger]]
    policy: Callable[[], Policy]
    states: TriggerStates
    clock: Clock
    happened: Callable[[Trigger], Awaitable[Mapping[str, str]]]
    """Returns what is there now of what an event trigger waits for."""
    known: Callable[[], Awaitable[GeneratorInput]]
    """Returns what generators look at."""
    generators: Mapping[str, Generator]
    run: Callable[[Due, GeneratedAction | None], Awaitable[TriggerRun]]
    """Carries out what a trigger runs."""


class TriggerListener:
    """Who is told what happens; this one tells nobody."""

    def due(self, due: Due) -> None:
        """Hear that something is due, and what becomes of it."""

    def ran(self, due: Due, ran: TriggerRun) -> None:
        """Hear what came of it."""

    def wrong(self, trigger: Trigger, sentence: str) -> None:
        """Hear why a trigger cannot be looked after; said once until it changes."""


class Host:
    """One host of the triggers. Of several on one journal, one takes each due time."""

    def __init__(self, world: TriggerServices, listener: TriggerListener) -> None:
        self._world = world
        self._listener = listener
        self._wrong: dict[str, str] = {}

    async def serve(self, pause: Callable[[float], Awaitable[bool]]) -> None:
        """Host them until `pause`, which waits so many seconds, says that it is enough; what began is seen through."""
        async with create_task_group() as tasks:
            while True:
                for due, action in await self.look():
                    tasks.start_soon(self._see_through, due, action)
                if await pause(self.wait()):
                    return

    async def once(self) -> None:
        """Look once, and see through what is due."""
        async with create_task_group() as tasks:
            for due, action in await self.look():
                tasks.start_soon(self._see_through, due, action)

    async def look(self) -> list[tuple[Due, GeneratedAction | None]]:
        """Take what is due now from all other hosts, and return what runs."""
        taken: list[tuple[Due, GeneratedAction | None]] = []
        for trigger in self._world.triggers():
            try:
                due, action = await self._take_turn(trigger)
                self._wrong.pop(trigger.name, None)
            except SaysoError as no:
                if self._wrong.get(trigger.name) != str(no):
                    self._listener.wrong(trigger, str(no))
                self._wrong[trigger.name] = str(no)
                continue
            if due is not None:
                self._listener.due(due)
                taken += [(due, action)] * due.runs
        return taken

    async def fire(self, trigger: Trigger) -> TriggerRun:
        """Run it now, because the person wants it, and return what came of it. Raises `SaysoError`."""
        action = None
        if trigger.generator:
            action = await self._generator(trigger).make(await self._world.known())
            if action is None:
                return TriggerRun("", f"{trigger.generator} has nothing to do now")
        now = self._world.clock.now()
        while not await self._world.states.move(begin_run(await self._world.states.of(trigger.name), now)):
            pass  # somebody else moved it on meanwhile; the person's wish stands
        due = Due(trigger, "due", now, began=moment(now))
        try:
            return await self._record_end(due, await self._world.run(due, action))
        except SaysoError as no:
            await self._record_end(due, TriggerRun("", str(no)))
            raise

    def wait(self) -> float:
        """Return how many seconds to wait before the next look."""
        now = self._world.clock.now()
        nexts = [self._next(trigger, now) for trigger in self._world.triggers()]
        left = [(at - now).total_seconds() for at in nexts if at is not None]
        return max(0.0, min([*left, LONGEST]))

    def _next(self, trigger: Trigger, now: datetime) -> datetime | None:
        try:
            return schedule(trigger.schedule, trigger.zone).after(now) if trigger.schedule else None
        except SaysoError:
            return None  # told by `look`

    async def _take_turn(self, trigger: Trigger) -> tuple[Due | None, GeneratedAction | None]:
        state = await self._world.states.of(trigger.name)
        if trigger.generator:
            return await self._ask_generator(trigger, state)
        after, due = await self._decide_next(trigger, state)
        if after == state or not await self._world.states.move(after):
            return None, None
        return due, None

    async def _decide_next(self, trigger: Trigger, state: TriggerState) -> Next:
        now, on = self._world.clock.now(), self._on(state)
        if trigger.schedule:
            return of_schedule(trigger, state, now, on=on)
        if trigger.event:
            return of_event(trigger, state, now, await self._world.happened(trigger), on=on)
        return state, None

    async def _ask_generator(self, trigger: Trigger, state: TriggerState) -> tuple[Due | None, GeneratedAction | None]:
        """Ask a generator. Its turn is taken before it makes anything, and given back where it makes nothing (T-54)."""
        generator, now = self._generator(trigger), self._world.clock.now()
        minutes = trigger.cooldown_minutes or generator.cooldown_minutes
        if not self._on(state) or cooling(state, minutes, now):
            return None, None
        known = await self._world.known()
        if not generator.fires(known) or not await self._world.states.move(begin_run(state, now)):
            return None, None
        action = await generator.make(known)
        if action is not None:
            return Due(trigger, "due", now, began=moment(now)), action
        await self._world.states.move(replace(state, turn=state.turn + 1))
        return None, None

    def _generator(self, trigger: Trigger) -> Generator:
        found = self._world.generators.get(trigger.generator)
        if found is None:
            names = ", ".join(f"“{name}”" for name in self._world.generators)
            raise SaysoError(f"there is no generator “{trigger.generator}”; there are {names}", "trigger.generator")
        return found

    def _on(self, state: TriggerState) -> bool:
        policy = self._world.policy()
        return policy.automation and not policy.paused and not state.off

    async def _see_through(self, due: Due, action: GeneratedAction | None) -> None:
        self._listener.ran(due, await self._record_end(due, await self._run(due, action)))

    async def _run(self, due: Due, action: GeneratedAction | None) -> TriggerRun:
        try:
            return await self._world.run(due, action)
        except SaysoError as no:
            return TriggerRun("", str(no))

    async def _record_end(self, due: Due, ran: TriggerRun) -> TriggerRun:
        """Write down what came of it, unless it has begun anew meanwhile."""
        while (state := await self._world.states.of(due.trigger.name)).fired == due.began:
            if await self._world.states.move(replace(state, run=ran.run, said=ran.said)):
                break
        return ran
