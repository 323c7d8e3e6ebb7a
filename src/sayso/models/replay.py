"""A model that plays the replies in a file, one after the other, for trying things out, demonstrations and tests."""

import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import msgspec
from anyio.lowlevel import checkpoint

from sayso.core.conversation import Chunk, ConversationRequest, ReplyEnd, ReplyText, ToolCall
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError

PIECE = 24
"""Number of characters in each chunk of a reply's text."""


class RecordedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A recorded tool call: the name of the tool and its arguments."""

    name: str
    arguments: dict[str, Json] = msgspec.field(default_factory=dict[str, Json])


class RecordedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One recorded reply: its text, followed by its tool calls."""

    text: str = ""
    calls: tuple[RecordedCall, ...] = ()


class Replay:
    """A model that returns recorded replies in order; a new process begins with the first one again."""

    def __init__(self, name: str, replies: Sequence[RecordedReply]) -> None:
        self.name = name
        self._replies = replies
        self._next = 0

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the next reply. Raises `ProviderError` if no reply is left."""
        if self._next >= len(self._replies):
            raise ProviderError(f"{self.name} has no reply left; it has {len(self._replies)}", "model.no_reply")
        reply, number = self._replies[self._next], self._next
        self._next += 1
        for at in range(0, len(reply.text), PIECE):
            await checkpoint()
            yield ReplyText(reply.text[at : at + PIECE])
        for place, call in enumerate(reply.calls):
            yield ToolCall(f"call_{number}_{place}", call.name, json.dumps(call.arguments, ensure_ascii=False))
        yield ReplyEnd(self.name, "tools" if reply.calls else "stop")


def open_replay(file: str) -> Replay:
    """Return a model that plays the replies in a JSON file: a list of texts, or of objects with `text` and `calls`.

    Raises `SetupError` if the file cannot be read or is not such a list.
    """
    try:
        found = msgspec.json.decode(Path(file).expanduser().read_bytes(), type=list[str | RecordedReply])
    except OSError as wrong:
        raise SetupError(f"the replies in “{file}” cannot be read: {wrong.strerror}", "model.file") from None
    except msgspec.MsgspecError as wrong:
        raise SetupError(f"“{file}” is no list of replies: {wrong}", "model.file") from None
    return Replay(f"replay:{file}", [RecordedReply(one) if isinstance(one, str) else one for one in found])
