"""The services that planning, asking and carrying out share: journal, clock, ids, backends, locks and settings."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct, field

from sayso.core.encoding import digest
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Codec, Fact, Facts, ResultRef
from sayso.core.ports import Backend, Clock, Ids, Journal, KillPoint, Locks
from sayso.core.quotes import quoted
from sayso.core.record import Owner, Record
from sayso.policy.settings import Policy


class DelayedActions(Struct, frozen=True):
    """The actions that are delayed now: their summaries, their ids, and the delay in seconds."""

    what: tuple[str, ...]
    ids: tuple[str, ...]
    seconds: float


class WaitsForDelay(Protocol):
    """Waits until a delay is over, and may show it to the person."""

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Return when the time is up, or when `over` returns True: the run was stopped, or the actions were undone."""
        ...


def log_fault(problem: BaseException) -> None:
    """Log a bug in sayso with its traceback. `logging` is imported only then."""
    load("logging:getLogger")("sayso").error("a fault in sayso", exc_info=problem)


def log_warning(sentence: str, *values: object) -> None:
    """Log a warning that the person should see, about a problem that stops nothing."""
    load("logging:getLogger")("sayso").warning(sentence, *values)


AppliedFacts = dict[tuple[int, int], Facts]
"""The facts after each change, by the index of its action and its number in the plan."""


def never() -> bool:
    """Return False."""
    return False


class StopSign(Struct, frozen=True):
    """Says whether what a task does is to stop, and why, as the end of a sentence with "because"."""

    asked: Callable[[], bool] = never
    why: str = "you stopped the run"


_GO_ON = StopSign()
STOPPING: ContextVar[StopSign] = ContextVar("STOPPING", default=_GO_ON)
"""The sign that the task which sets it, and those that it starts, look at."""


def is_stopping() -> bool:
    """Return whether what this task does is to stop: the default of `Services.stopping`."""
    return STOPPING.get().asked()


def never_exact(dialect: str) -> bool:
    """Return False: the default of `Services.takes_exact_names`."""
    return False


def knows_none(code: str) -> bool:
    """Return False: the default of `Services.knows_code`."""
    return False


class Services(Struct, frozen=True):
    """The parts of one home. `policy` is called anew at each judging, so that changed settings apply at once."""

    catalogue: Mapping[str, Operation]
    backends: Mapping[str, Backend]
    unavailable: Mapping[str, str]
    """Stores that this machine cannot serve, each with the reason and what to do about it."""
    codec: Codec
    policy: Callable[[], Policy]
    journal: Journal
    locks: Locks
    clock: Clock
    ids: Ids
    owner: Owner
    kill: KillPoint
    takes_exact_names: Callable[[str], bool] = field(default=never_exact)
    """Whether the dialect of this name takes names letter for letter (T-98)."""
    knows_code: Callable[[str], bool] = field(default=knows_none)
    """Whether an action that the person defined still has the code of this hash; requests of other code are refused."""
    outside_stores: Callable[[], frozenset[str]] | None = None
    """Returns the stores that hold text of strangers; without it, they are found by importing every operation."""
    stopping: Callable[[], bool] = field(default=is_stopping)
    """Whether the person has asked to stop; checked between two changes, and during one that can be stopped."""
    waits: WaitsForDelay | None = None
    """Waits while actions are delayed, and may show the delay; with None, nothing is shown."""

    def backend(self, store: str) -> Backend:
        """Return the backend of a store. Raises `ProviderError` with the reason when none serves it (X-05)."""
        found = self.backends.get(store)
        if found is None:
            why = self.unavailable.get(store, f"nothing serves {quoted(store)} here")
            raise ProviderError(f"not available on this system: {why}", "unavailable")
        return found

    def shared_stores(self, stores: Iterable[str]) -> set[str]:
        """Return those of these stores that other processes may use too: all except those private to this process."""
        return {store for store in stores if not _is_private(self.backends.get(store))}

    def brake(self) -> str | None:
        """Return why no further change may begin now: the run was stopped, or sayso is paused; else None."""
        if self.stopping():
            return STOPPING.get().why
        return "sayso was paused" if self.policy().paused else None

    def now(self) -> str:
        """Return the time as the journal writes it: ISO 8601, UTC, milliseconds."""
        return stamp(self.clock.now())


def _is_private(backend: Backend | None) -> bool:
    """Return whether the state of a backend exists only in this process, so it needs no lock.

    Such a backend says `private = True`; it lets no other task run between checking what a step expects and doing it.
    """
    return getattr(backend, "private", False) is True


def stamp(moment: datetime) -> str:
    """Return a time as the journal writes it."""
    moment = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


def moment(text: str) -> datetime:
    """Parse a time that `stamp` has written."""
    return datetime.fromisoformat(text)


def digest_of(record: Record, catalogue: Mapping[str, Operation]) -> str:
    """Return the digest that an approval of this action is bound to (house, section 4, step 5).

    An argument that equals its default counts as left out.
    """
    plan, operation = record.plan or {}, catalogue.get(record.operation or "")
    bound = {name: plan.get(name) for name in ("summary", "changes", "loses", "sends", "on_failure")}
    return digest(
        {
            "operation": record.operation,
            "arguments": operation.told(record.arguments) if operation else dict(record.arguments),
            **bound,
            "policy": record.policy,
            "handler": record.code_hash,
        }
    )


def resolve_facts(expects: Facts, lefts: AppliedFacts, own: int) -> Facts:
    """Replace references to earlier results by the facts that were found after them; `own` is this action's index.

    Raises `ProviderError` if no such fact was found after an earlier step, because then this action cannot be done.
    """
    return tuple(_resolve_fact(fact, lefts, own) if isinstance(fact, ResultRef) else fact for fact in expects)


def _resolve_fact(wanted: ResultRef, lefts: AppliedFacts, own: int) -> Fact:
    action = own if wanted.action is None else wanted.action
    for fact in lefts.get((action, wanted.change), ()):
        if fact.key == wanted.key:
            return fact
    raise ProviderError(f"an earlier step did not leave {quoted(wanted.about)} as this one needs it", "world.changed")


EACH = 0.1
"""Seconds between two checks whether the delay is over."""
COUNTS = 1.0
"""The most seconds that count between two checks, so that a process that was suspended still waits for the rest."""


class SilentDelay(Struct, frozen=True):
    """Waits without showing anything."""

    clock: Clock

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait until the delay is over, or `over` returns True."""
        await self.wait_counting(held, over, lambda _: None)

    async def wait_counting(
        self, held: DelayedActions, over: Callable[[], Awaitable[bool]], told: Callable[[float], None]
    ) -> None:
        """Wait, and before each check call `told` with the remaining seconds."""
        left, looked = held.seconds, self.clock.monotonic()
        while left > 0:
            told(left)
            if await over():
                return
            await load("anyio:sleep")(min(EACH, left))
            now = self.clock.monotonic()
            left, looked = left - min(now - looked, COUNTS), now


class NoDelay(Struct, frozen=True):
    """Does not wait, because the person chose to send at once."""

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Return at once."""
