"""What every step of the path needs: journal, clock, ids, backends, locks and settings."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct, field

from sayso.core.codec import Codec
from sayso.core.encoding import digest
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Fact, Facts, ResultRef
from sayso.core.ports import Backend, Clock, Ids, Journal, KillPoint, Locks
from sayso.core.record import Owner, Record
from sayso.policy.settings import Policy


class DelayedActions(Struct, frozen=True):
    """What is held back now: in words, by their ids, and for how many seconds."""

    what: tuple[str, ...]
    ids: tuple[str, ...]
    seconds: float


class WaitsForDelay(Protocol):
    """Who waits a hold out, and may show it to the person."""

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Return when the time is up, or `over` says that there is nothing to wait for any more."""
        ...


def log_fault(problem: BaseException) -> None:
    """Log a fault of sayso's own with where it happened. `logging` is imported only where there is one."""
    load("logging:getLogger")("sayso").error("a fault in sayso", exc_info=problem)


def log_warning(sentence: str, *values: object) -> None:
    """Log what the person should know of and what stops nothing."""
    load("logging:getLogger")("sayso").warning(sentence, *values)


AppliedFacts = dict[tuple[int, int], Facts]
"""What change `c` of action `a` left, by `(a, c)`."""


def never() -> bool:
    """Say that nobody wants a run to stop."""
    return False


def never_exact(dialect: str) -> bool:
    """Say that names may be near to what is meant."""
    return False


def knows_none(code: str) -> bool:
    """Say that there is no action of the person's own."""
    return False


class Services(Struct, frozen=True):
    """The parts of one home. `policy` is asked anew at each judging, so that a change of settings counts at once."""

    catalogue: Mapping[str, Operation]
    backends: Mapping[str, Backend]
    unavailable: Mapping[str, str]
    """Stores that this machine cannot serve, each with the reason and the way out."""
    codec: Codec
    policy: Callable[[], Policy]
    journal: Journal
    locks: Locks
    clock: Clock
    ids: Ids
    owner: Owner
    kill: KillPoint
    takes_exact_names: Callable[[str], bool] = field(default=never_exact)
    """Whether names are taken letter for letter in the dialect of this name (T-98)."""
    knows_code: Callable[[str], bool] = field(default=knows_none)
    """Whether an action of the person's own still is the code of this hash; what other code asked for is void."""
    stopping: Callable[[], bool] = field(default=never)
    """Whether the person has asked to stop; looked at between two changes, never within one."""
    waits: WaitsForDelay | None = None
    """Who waits out what is held back; None waits in silence."""

    def backend(self, store: str) -> Backend:
        """Return what serves a store. Raises `ProviderError` with the reason when nothing does (X-05)."""
        found = self.backends.get(store)
        if found is None:
            why = self.unavailable.get(store, f"nothing serves “{store}” here")
            raise ProviderError(f"not available on this system: {why}", "unavailable")
        return found

    def shared_stores(self, stores: Iterable[str]) -> set[str]:
        """Return those of these stores that somebody else may act on: all but the ones private to this process."""
        return {store for store in stores if not _is_private(self.backends.get(store))}

    def brake(self) -> str | None:
        """Return why nothing more may be begun at this moment; None when nothing is against it."""
        if self.stopping():
            return "you stopped the run"
        return "sayso was paused" if self.policy().paused else None

    def now(self) -> str:
        """Return the time as the journal writes it: ISO 8601, UTC, milliseconds."""
        return stamp(self.clock.now())


def _is_private(backend: Backend | None) -> bool:
    # What a protocol says of itself is looked up anew with each `isinstance`; this is asked at each step.
    return getattr(backend, "private", False) is True


def stamp(moment: datetime) -> str:
    """Write a moment as the journal does."""
    moment = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


def moment(text: str) -> datetime:
    """Read what `stamp` wrote."""
    return datetime.fromisoformat(text)


def digest_of(record: Record, catalogue: Mapping[str, Operation]) -> str:
    """Return the digest that an approval of this action is bound to (house, section 4, step 5).

    An argument that says what its default is counts as left out.
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
    """Put what earlier steps really left in the place of the references to it; `own` is the action that expects it.

    Raises `ProviderError` when such a step left no such fact: what stood on it cannot be done.
    """
    return tuple(_resolve_fact(fact, lefts, own) if isinstance(fact, ResultRef) else fact for fact in expects)


def _resolve_fact(wanted: ResultRef, lefts: AppliedFacts, own: int) -> Fact:
    action = own if wanted.action is None else wanted.action
    for fact in lefts.get((action, wanted.change), ()):
        if fact.key == wanted.key:
            return fact
    raise ProviderError(f"an earlier step did not leave “{wanted.about}” as this one needs it", "world.changed")
