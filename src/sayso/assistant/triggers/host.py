"""Host the triggers: check regularly which are due, claim each for one host, and run it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta

from anyio import create_task_group
from msgspec import Struct
from msgspec.structs import replace

from sayso.assistant.triggers.due import Due, Next, begin_run, cooling, moment, of_event, of_schedule
from sayso.assistant.triggers.events import GeneratedAction, Generator, GeneratorInput
from sayso.assistant.triggers.reminders import Notice, ReminderBell, ReminderServices
from sayso.assistant.triggers.schedule import schedule
from sayso.core.conversation import Trigger, TriggerState, TriggerStates
from sayso.core.errors import Refused, SaysoError
from sayso.core.ports import Clock
from sayso.policy.settings import Policy


def must_be_on(policy: Policy) -> None:
    """Raise `Refused` if automation is off or everything is paused."""
    if policy.paused:
        raise Refused("everything is paused; “sayso resume” lets actions run again", "policy.paused")
    if not policy.automation:
        raise Refused("automation is off; “sayso config set automation.enabled true” turns it on", "automation.off")


LONGEST = 20.0
"""Maximum number of seconds between two checks for events and changed settings."""


class TriggerRun(Struct, frozen=True):
    """The result of a trigger: the id of its run, if there was one, and a sentence about it."""

    run: str
    said: str


class TriggerServices(Struct, frozen=True):
    """The functions of a home that a host uses."""

    triggers: Callable[[], Sequence[Trigger]]
    policy: Callable[[], Policy]
    states: TriggerStates
    clock: Clock
    happened: Callable[[Trigger], Awaitable[Mapping[str, str]]]
    """Returns the files, mails or events that an event trigger watches, as `snapshot_of` does."""
    known: Callable[[], Awaitable[GeneratorInput]]
    """Returns the input for generators."""
    generators: Mapping[str, Generator]
    run: Callable[[Due, GeneratedAction | None], Awaitable[TriggerRun]]
    """Runs the actions of a trigger."""
    reminders: ReminderServices | None = None
    """Rings reminders; None if this host does not."""


class TriggerListener:
    """Receives the events of a host; this class ignores them."""

    def due(self, due: Due) -> None:
        """Handle a due trigger."""

    def ran(self, due: Due, ran: TriggerRun) -> None:
        """Handle the end of a trigger's run."""

    def rang(self, notice: Notice, ended: str) -> None:
        """Handle a reminder that was shown, or could not be; `ended` says so in a few words."""

    def unread(self, sentence: str) -> None:
        """Handle reminders that cannot be read; called once for each different reason."""

    def wrong(self, trigger: Trigger, sentence: str) -> None:
        """Handle a trigger that cannot be checked; called once for each different reason."""


class Host:
    """One host of the triggers; of several hosts on one journal, only one runs each due trigger."""

    def __init__(self, world: TriggerServices, listener: TriggerListener) -> None:
        self._world = world
        self._listener = listener
        self._wrong: dict[str, str] = {}
        self._bell = ReminderBell(world.reminders, world.states, world.clock) if world.reminders else None
        self._unread = ""

    async def serve(self, pause: Callable[[float], Awaitable[bool]]) -> None:
        """Run triggers until `pause` returns True; it is called with the seconds to wait. Begun runs are completed."""
        async with create_task_group() as tasks:
            while True:
                for due, action in await self.look():
                    tasks.start_soon(self._see_through, due, action)
                await self.ring()
                if await pause(self.wait()):
                    return

    async def once(self) -> None:
        """Run the triggers, and ring the reminders, that are due now."""
        async with create_task_group() as tasks:
            for due, action in await self.look():
                tasks.start_soon(self._see_through, due, action)
            await self.ring()

    async def ring(self) -> None:
        """Ring the reminders that are due now."""
        if self._bell is None:
            return
        due: Sequence[Notice] = ()
        try:
            due = await self._bell.look(timedelta(seconds=LONGEST))
            ended = await self._bell.show(due)
            self._unread = ""
        except SaysoError as no:
            ended = str(no)
            if not due and self._unread != str(no):
                self._listener.unread(str(no))
            self._unread = "" if due else str(no)
        for notice in due:
            self._listener.rang(notice, ended)

    async def look(self) -> list[tuple[Due, GeneratedAction | None]]:
        """Claim the due triggers, so that no other host runs them, and return those to run."""
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
        """Run a trigger now, at the person's request, and return the result. Raises `SaysoError`."""
        action = None
        if trigger.generator:
            action = await self._generator(trigger).make(await self._world.known())
            if action is None:
                return TriggerRun("", f"{trigger.generator} has nothing to do now")
        now = self._world.clock.now()
        while not await self._world.states.move(begin_run(await self._world.states.of(trigger.name), now)):
            pass  # another process changed the state meanwhile, so the new state is tried
        due = Due(trigger, "due", now, began=moment(now))
        try:
            return await self._record_end(due, await self._world.run(due, action))
        except SaysoError as no:
            await self._record_end(due, TriggerRun("", str(no)))
            raise

    def wait(self) -> float:
        """Return the number of seconds until the next check."""
        now = self._world.clock.now()
        nexts = [self._next(trigger, now) for trigger in self._world.triggers()]
        nexts += [self._bell.next] if self._bell else []
        left = [(at - now).total_seconds() for at in nexts if at is not None]
        return max(0.0, min([*left, LONGEST]))

    def _next(self, trigger: Trigger, now: datetime) -> datetime | None:
        try:
            return schedule(trigger.schedule, trigger.zone).after(now) if trigger.schedule else None
        except SaysoError:
            return None  # `look` reports the error

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
        """Ask a generator for an action; the trigger is claimed first, and released if there is no action (T-54)."""
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
        """Store the result, unless the trigger has begun another run in the meantime."""
        while (state := await self._world.states.of(due.trigger.name)).fired == due.began:
            if await self._world.states.move(replace(state, run=ran.run, said=ran.said)):
                break
        return ran
