"""The reply of a model as it streams in: what is shown, and the proposals that are read from it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

from anyio import create_task_group, sleep_forever
from msgspec import Struct

from sayso.core.conversation import Chunk, ConversationRequest, Model, ReplyEnd, ReplyText, ToolCall
from sayso.core.dialect import Event, Reader, TextEvent
from sayso.core.errors import ProviderError, Refused, SaysoError


class Hears(Protocol):
    """Who is shown what goes on."""

    def shown(self, text: str) -> None:
        """Take more of the text that is for the person; it only ever grows."""
        ...

    def doing(self, line: str) -> None:
        """Take one line about a call that is being carried out (S1-59), or about who answers in another's place."""
        ...

    async def stopped(self) -> None:
        """Return when the person wants no more of it; else never."""
        ...


class Nobody:
    """Is shown nothing, and never stops it."""

    def shown(self, text: str) -> None:
        """Take it."""

    def doing(self, line: str) -> None:
        """Take it."""

    async def stopped(self) -> None:
        """Wait for ever."""
        await sleep_forever()


class Reply(Struct, frozen=True):
    """What a model said: its text as it wrote it, the calls it made, and how it ended."""

    text: str
    calls: tuple[ToolCall, ...]
    ended: ReplyEnd
    too_long: bool = False
    """It was left because it became longer than what is read at once."""


async def receive_reply(
    model: Model, asked: ConversationRequest, hears: Hears, reader: Reader | None, most: int
) -> Reply:
    """Return a model's whole reply; with a reader its text is shown as it comes, without its blocks.

    Raises what the model's stream raises, and `Refused` where the person stopped it; then nothing of it counts.
    """
    hearing = _Hearing(model, asked, hears, reader, most)
    try:
        await _until_stopped(hearing, hears)
    except ExceptionGroup as bugs:
        raise bugs.exceptions[0] from None  # there is one at most: who waits for a stop fails at nothing
    return hearing.reply()


async def _until_stopped(hearing: "_Hearing", hears: Hears) -> None:
    async with create_task_group() as together:

        async def until_stopped() -> None:
            await hears.stopped()
            hearing.problem = Refused(
                "you stopped it before the reply had ended, and nothing was done", "stopped", "stopped"
            )
            together.cancel_scope.cancel()

        together.start_soon(until_stopped)
        await hearing.listen()
        together.cancel_scope.cancel()


class _Hearing:
    def __init__(
        self, model: Model, asked: ConversationRequest, hears: Hears, reader: Reader | None, most: int
    ) -> None:
        self.problem: SaysoError | None = None
        self._model = model
        self._asked = asked
        self._hears = hears
        self._reader = reader
        self._most = most
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._bytes = 0
        self._ended: ReplyEnd | None = None

    async def listen(self) -> None:
        """Take the stream to its end, or to where it is too long; what it raises is kept."""
        try:
            async with aclosing(self._model.stream(self._asked)) as stream:
                await self._all(stream)
        except SaysoError as no:
            self.problem = self.problem or no

    async def _all(self, stream: AsyncGenerator[Chunk]) -> None:
        async for chunk in stream:
            match chunk:
                case ReplyText(text):
                    self._text.append(text)
                    self._count(text)
                case ToolCall(_, name, arguments):
                    self._calls.append(chunk)
                    self._count(name + arguments)
                case ReplyEnd():
                    self._ended = chunk
            if self._bytes > self._most:
                return
            if isinstance(chunk, ReplyText) and self._reader is not None:
                self._show(self._reader.feed(chunk.text))
        if self._reader is not None:
            self._show(self._reader.close())

    def _count(self, text: str) -> None:
        self._bytes += len(text.encode("utf-8", "surrogatepass"))

    def _show(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, TextEvent) and event.text:
                self._hears.shown(event.text)

    def reply(self) -> Reply:
        """Return it. Raises what went wrong."""
        if self.problem is not None:
            raise self.problem
        too_long = self._bytes > self._most
        if self._ended is None and not too_long:
            raise ProviderError(
                f"the reply of {self._model.name} broke off, so nothing of it was done; ask again", "model.broken_off"
            )
        ended = self._ended or ReplyEnd(self._model.name, "length")
        return Reply("".join(self._text), tuple(self._calls), ended, too_long)
