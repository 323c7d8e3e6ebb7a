"""What is known of a step while it is done: whether it is to stop, and how far it has come."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

import anyio
import msgspec

from sayso.core.errors import SaysoError
from sayso.core.ports import NoteExposure
from sayso.core.proposal import principal_of
from sayso.core.record import Record, State
from sayso.core.step_watch import WATCH, StepProgress
from sayso.runtime.services import STOPPING, Services, StopSign

T = TypeVar("T")
LOOKS, MOST_LOOKS = 0.1, 50
"""The seconds between two looks at whether an action that is to stop has ended, and how often it is looked."""
TAKEN_BACK = "what asked for this took it back"
Listener = Callable[[StepProgress], Awaitable[None]]
LISTENER: ContextVar[Listener | None] = ContextVar("LISTENER", default=None)
"""Is told how far the steps have come that this task does, and those that it starts; None if nobody wants to know."""


class ActionWatch:
    """Watches the steps of one action; what a stranger says of them counts as read by whoever proposed it."""

    def __init__(self, tools: Services, record: Record) -> None:
        self._tools = tools
        self._record = record
        self._read = False

    @property
    def listens(self) -> bool:
        """Return whether anybody wants to know how far the step has come."""
        return LISTENER.get() is not None or self._tools.locks.anybody(_told(self._record.id))

    def stops(self) -> str | None:
        """Return why the step is to stop now: the run was stopped, sayso is paused, or it was taken back; else None."""
        taken_back = TAKEN_BACK if self._tools.locks.anybody(_stop(self._record.id)) else None
        return self._tools.brake() or taken_back

    async def tell(self, progress: StepProgress) -> None:
        """Tell how far the step has come; without its words if it cannot be written down that they were read."""
        listener = LISTENER.get()
        if progress.says and not self._read:
            with suppress(SaysoError):
                await self._note()
                self._read = True
        said = progress if self._read else StepProgress(progress.done, progress.whole)
        if listener is not None:
            await listener(said)
        else:
            self._tools.locks.answer(_told(self._record.id), msgspec.json.encode(said))

    async def _note(self) -> None:
        record = self._record
        principal = principal_of(record.entry, record.principal)
        read = NoteExposure(principal, record.session, (record.operation or "",))
        await self._tools.journal.commit(read, event="exposed")


@contextmanager
def watching(tools: Services, record: Record) -> Generator[None]:
    """Have the step that is done in the block ask and tell what there is to an action."""
    token = WATCH.set(ActionWatch(tools, record))
    try:
        yield
    finally:
        WATCH.reset(token)


async def stop_elsewhere(tools: Services, id_: str) -> None:
    """Have the process that carries out an action stop its step, if it can be stopped, and wait a while for its end."""
    with tools.locks.asking(_stop(id_)):
        for _ in range(MOST_LOOKS):
            record = await tools.journal.get(id_)
            if record is None or record.state is not State.RUNNING:
                return
            await anyio.sleep(LOOKS)


@contextmanager
def told_elsewhere(tools: Services, id_: str) -> Generator[Callable[[], StepProgress | None]]:
    """Have the process that carries out an action tell how far it has come; yields what returns the latest."""
    with tools.locks.asking(_told(id_)) as said:

        def latest() -> StepProgress | None:
            with suppress(msgspec.MsgspecError, OSError):
                return msgspec.json.decode(said(), type=StepProgress)
            return None

        yield latest


def _told(id_: str) -> str:
    """Return the name by which a process asks how far an action has come."""
    return f"told-{id_}"


def _stop(id_: str) -> str:
    """Return the name by which processes tell each other that an action is to stop."""
    return f"stop-{id_}"


async def stoppable(work: Callable[[], Awaitable[T]], why: str, listener: Listener | None) -> T:
    """Return what `work` returns. If this is cancelled, a step that can be stopped is, and the actions after it.

    `why` says so in the journal, as the end of a sentence with "because"; `listener` is told how far steps have come.
    """
    cancelled = False
    found: list[T] = []

    async def wait() -> None:
        nonlocal cancelled
        try:
            await anyio.sleep_forever()
        finally:
            cancelled = True  # seen by a step that a cancellation does not interrupt

    sign, told = STOPPING.set(StopSign(lambda: cancelled, why)), LISTENER.set(listener)
    try:
        async with anyio.create_task_group() as together:
            together.start_soon(wait)
            found.append(await work())
            together.cancel_scope.cancel()
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None
    finally:
        STOPPING.reset(sign)
        LISTENER.reset(told)
    return found[0]
