"""A language model that plays the replies a test gave it, and keeps what it was asked."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence

from anyio import sleep_forever
from anyio.lowlevel import checkpoint

from sayso.core.conversation import Asked, Called, Chunk, Ended, Said
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.values import dataclass


@dataclass(frozen=True)
class Silent:
    """The place in a reply where a model says nothing more, and does not end either, until it is left."""


Piece = Chunk | Silent | SaysoError
"""What a reply is made of; an error is raised when its turn has come."""
Reply = str | Sequence[Piece] | SaysoError | Callable[[Asked], "Reply"]
"""A reply: its text; its pieces in order; an error before the first piece; or a function of what was asked."""


class Scripted:
    """A model that plays replies, one each time it is asked; being asked more often is an `AssertionError`.

    ```python
    model = Scripted("MOVE_FILE a b", [Said("Looking."), called("file_read", path="a")], ProviderError("it is down"))
    ```
    """

    def __init__(self, *replies: Reply, name: str = "scripted", size: int = 5) -> None:
        self.name = name
        self.asked: list[Asked] = []
        """What it was asked, the first first."""
        self.ended = 0
        """How many replies were played to their end; the others were left, or broke off."""
        self._replies = list(replies)
        self._size = size

    async def stream(self, asked: Asked) -> AsyncGenerator[Chunk]:
        """Yield the next reply: a text in pieces of `size` characters, and an `Ended` last."""
        self.asked.append(asked)
        if len(self.asked) > len(self._replies):
            raise AssertionError(f"the model was asked {len(self.asked)} times, and has {len(self._replies)} replies")
        for piece in self._pieces(asked):
            await checkpoint()
            match piece:
                case SaysoError():
                    raise piece
                case Silent():
                    await sleep_forever()
                case _:
                    yield piece
        self.ended += 1

    def _pieces(self, asked: Asked) -> list[Piece]:
        reply = self._replies[len(self.asked) - 1]
        while callable(reply):
            reply = reply(asked)
        if isinstance(reply, SaysoError):
            return [reply]
        pieces = _cut(reply, self._size) if isinstance(reply, str) else list(reply)
        return pieces if any(isinstance(piece, Ended) for piece in pieces) else [*pieces, self._end(asked, pieces)]

    def _end(self, asked: Asked, pieces: Sequence[Piece]) -> Ended:
        """Return an end that counts a word as a token."""
        said = "".join(piece.text for piece in pieces if isinstance(piece, Said))
        heard = " ".join((asked.system, *(turn.text for turn in asked.turns)))
        reason = "tools" if any(isinstance(piece, Called) for piece in pieces) else "stop"
        return Ended(self.name, reason, len(heard.split()), len(said.split()))


def called(name: str, call_id: str = "call_1", /, **arguments: Json) -> Called:
    """Return a call of a tool, its arguments written as a model writes them."""
    return Called(call_id, name, json.dumps(arguments, ensure_ascii=False))


def _cut(text: str, size: int) -> list[Piece]:
    return [Said(text[at : at + size]) for at in range(0, len(text), size)]
