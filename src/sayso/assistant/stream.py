"""Receive the streamed reply of a model, and show its text as it arrives."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from anyio import Event as Signal
from anyio import create_task_group

from sayso.assistant.asker import ReceivedReply, ReplyView
from sayso.core.conversation import Chunk, ConversationRequest, Model, ReplyDelayed, ReplyEnd, ReplyText, ToolCall
from sayso.core.dialect import Event, Reader, TextEvent
from sayso.core.errors import ProviderError, Refused, SaysoError


class BrokenOff(ProviderError):
    """A reply that had begun broke off; nothing of it was carried out, so the model may be asked again."""


_CUT = frozenset({"model.cut", "model.broken_off"})


async def pause(seconds: float, view: ReplyView, sleep: Callable[[float], Awaitable[None]]) -> None:
    """Wait with `sleep`. Raises `Refused` if the person stops it."""
    stopped = False
    async with create_task_group() as together:

        async def until_stopped() -> None:
            nonlocal stopped
            await view.wait_for_stop()
            stopped = True
            together.cancel_scope.cancel()

        together.start_soon(until_stopped)
        await sleep(seconds)
        together.cancel_scope.cancel()
    if stopped:
        raise _stopped()


def _stopped() -> Refused:
    return Refused("you stopped it before the reply had ended, and nothing was done", "stopped", "stopped")


async def receive_reply(
    model: Model, asked: ConversationRequest, view: ReplyView, reader: Reader | None, most: int
) -> ReceivedReply:
    """Return a model's whole reply; with a reader, its text without blocks is shown as it arrives.

    Raises the errors of the model's stream, `BrokenOff` if a reply that had begun broke off, and `Refused` if the
    person stopped the reply, which is then discarded.
    """
    listener = _ReplyListener(model, asked, view, reader, most)
    try:
        await _until_stopped(listener, view)
    except ExceptionGroup as bugs:
        raise bugs.exceptions[0] from None  # there is at most one: the other tasks only wait
    finally:
        view.end_reply()
    return listener.reply()


async def _until_stopped(listener: "_ReplyListener", view: ReplyView) -> None:
    async with create_task_group() as together:

        async def until_stopped() -> None:
            await view.wait_for_stop()
            listener.problem = _stopped()
            together.cancel_scope.cancel()

        together.start_soon(until_stopped)
        together.start_soon(listener.show_at_pauses)
        await listener.listen()
        together.cancel_scope.cancel()


class _ReplyListener:
    """Receives one reply; its pieces are passed to the reader when a line ends or the stream pauses."""

    def __init__(
        self, model: Model, asked: ConversationRequest, view: ReplyView, reader: Reader | None, most: int
    ) -> None:
        self.problem: SaysoError | None = None
        self._model = model
        self._asked = asked
        self._view = view
        self._reader = reader
        self._most = most
        self._text: list[str] = []
        self._unread: list[str] = []
        """The pieces of `_text` that were not yet passed to the reader."""
        self._has_unread = Signal()
        self._calls: list[ToolCall] = []
        self._bytes = 0
        self._ended: ReplyEnd | None = None

    async def listen(self) -> None:
        """Read the stream until it ends or the reply is too long; an error of the stream is stored in `problem`."""
        try:
            async with aclosing(self._model.stream(self._asked)) as stream:
                whole = await self._listen_to(stream)
        except SaysoError as error:
            cut = error.code in _CUT and bool(self._text or self._calls)
            self.problem = self.problem or (BrokenOff(str(error), error.code) if cut else error)
            whole = False
        self._read()
        if whole and self._reader is not None:
            self._show(self._reader.close())

    async def _listen_to(self, stream: AsyncGenerator[Chunk]) -> bool:
        """Read the stream; return whether it was read to its end."""
        async for chunk in stream:
            match chunk:
                case ReplyText(text):
                    self._text.append(text)
                    if not self._has_room_for(text):
                        return False
                    self._gather(text)
                case ToolCall(_, name, arguments):
                    self._calls.append(chunk)
                    if not self._has_room_for(name + arguments):
                        return False
                case ReplyDelayed():
                    self._view.show_progress(chunk.text)
                case ReplyEnd():
                    self._ended = chunk
        return True

    def _has_room_for(self, text: str) -> bool:
        self._bytes += len(text.encode("utf-8", "surrogatepass"))
        return self._bytes <= self._most

    def _gather(self, text: str) -> None:
        self._unread.append(text)
        if "\n" in text:
            self._read()
        elif not self._has_unread.is_set():
            self._has_unread.set()

    async def show_at_pauses(self) -> None:
        """Pass collected pieces to the reader when the stream pauses; this task gets to run only in such a pause."""
        while True:
            await self._has_unread.wait()
            self._has_unread = Signal()
            self._read()

    def _read(self) -> None:
        text = "".join(self._unread)
        self._unread.clear()
        if text and self._reader is not None:
            self._show(self._reader.feed(text))

    def _show(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, TextEvent) and event.text:
                self._view.show_text(event.text)

    def reply(self) -> ReceivedReply:
        """Return the reply. Raises `problem`, or `ProviderError` if the reply broke off."""
        if self.problem is not None:
            raise self.problem
        too_long = self._bytes > self._most
        if self._ended is None and not too_long:
            raise BrokenOff(
                f"the reply of {self._model.name} broke off, so nothing of it was done; ask again", "model.broken_off"
            )
        ended = self._ended or ReplyEnd(self._model.name, "length")
        return ReceivedReply("".join(self._text), tuple(self._calls), ended, too_long)
