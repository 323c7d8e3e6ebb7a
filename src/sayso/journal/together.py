"""Let callers of one event loop that want to commit at the same time share one commit."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio
from anyio.lowlevel import checkpoint

from sayso.core.errors import SetupError

Work = TypeVar("Work")


@dataclass(slots=True, eq=False)
class _Wish(Generic[Work]):
    work: Work
    failure: BaseException | None = None
    settled: bool = False
    turn: anyio.Event | None = None
    """Set when it is settled, or when it is its turn to lead; None for one that never had to wait."""


class Together(Generic[Work]):
    """The first caller leads: it writes its own work and that of all who came meanwhile; the next one leads the rest.

    `begin` opens a transaction (it may wait for other processes); `write` writes all and commits, and returns
    for each work what went wrong with it, or None.
    """

    def __init__(
        self,
        begin: Callable[[], Awaitable[None]],
        write: Callable[[Sequence[Work]], Sequence[BaseException | None]],
    ) -> None:
        self._begin = begin
        self._write = write
        self._waiting: list[_Wish[Work]] = []
        self._led = False
        self._last: int | None = None
        self._crowd = False

    async def take(self, work: Work) -> None:
        """Return when `work` is durable; raise what went wrong with it."""
        wish = _Wish(work)
        self._waiting.append(wish)
        if self._led:
            await self._follow(wish)
        else:
            self._led = True
            await self._lead(wish)
        if wish.failure is not None:
            raise wish.failure

    async def _follow(self, wish: _Wish[Work]) -> None:
        wish.turn = anyio.Event()
        try:
            await wish.turn.wait()
        except BaseException:
            if not wish.settled:
                mine = self._waiting[:1] == [wish] and wish.turn.is_set()
                self._waiting.remove(wish)
                if mine:
                    self._hand_on()
            raise
        if not wish.settled:
            await self._lead(wish)

    async def _lead(self, wish: _Wish[Work]) -> None:
        try:
            await self._gather()
            await self._begin()
            self._settle()
        except SetupError as failure:
            # No transaction could be opened: that is so for everybody who waits.
            for each in self._cut():
                self._tell(each, SetupError(str(failure), failure.code))
        except BaseException as broken:
            if wish in self._waiting:
                self._waiting.remove(wish)  # cancelled before anything was written
                raise
            wish.failure = broken
        finally:
            self._hand_on()

    async def _gather(self) -> None:
        """Let others join, if there are others: a lone caller waits for nobody."""
        task = _this_task()
        others = self._crowd or self._last not in {None, task}
        self._last = task
        if others:
            seen = 0
            while len(self._waiting) > seen:
                seen = len(self._waiting)
                await checkpoint()

    def _cut(self) -> list[_Wish[Work]]:
        wishes, self._waiting = self._waiting, []
        self._crowd = len(wishes) > 1
        return wishes

    def _settle(self) -> None:
        wishes = self._cut()
        try:
            failures = self._write([wish.work for wish in wishes])
        except BaseException as broken:
            for wish in wishes:
                self._tell(wish, broken)
            raise
        for wish, failure in zip(wishes, failures, strict=True):
            self._tell(wish, failure)

    def _tell(self, wish: _Wish[Work], failure: BaseException | None) -> None:
        wish.settled, wish.failure = True, failure
        if wish.turn is not None:
            wish.turn.set()

    def _hand_on(self) -> None:
        self._led = bool(self._waiting)
        if self._waiting and self._waiting[0].turn is not None:
            self._waiting[0].turn.set()


def _this_task() -> int:
    """Return a number that no other living task has. anyio would describe the whole task, at each commit."""
    try:
        return id(asyncio.current_task())
    except RuntimeError:  # another event loop than that of asyncio
        return anyio.get_current_task().id
