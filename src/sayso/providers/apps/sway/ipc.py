"""Speak with sway over its socket: a question, an answer, and never more than a moment between them."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import msgspec
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps.linux.screen import SECONDS, SILENT
from sayso.providers.dbus.session import reached

_MAGIC = b"i3-ipc"
_WORD = 4
_MOST = 64 * 2**20
COMMAND, OUTPUTS, TREE = 0, 3, 4


class Took(msgspec.Struct, frozen=True):
    """Whether sway took a command."""

    success: bool = False


class Ipc:
    """One connection."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._received = BufferedByteReceiveStream(stream)

    async def ask(self, kind: int, text: str = "") -> bytes:
        """Return the answer to a question, as JSON. Raises `ProviderError` when none comes in time."""
        payload = text.encode()
        try:
            # Whoever waits may give up; the answer is fetched all the same, or the next question would get it.
            with anyio.fail_after(SECONDS, shield=True):
                await self._stream.send(_MAGIC + _word(len(payload)) + _word(kind) + payload)
                return await self._answer()
        except TimeoutError:
            raise _silent() from None
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, ValueError) as odd:
            raise ProviderError("sway has ended the connection", SILENT) from odd

    async def _answer(self) -> bytes:
        head = await self._received.receive_exactly(len(_MAGIC) + 2 * _WORD)
        length = int.from_bytes(head[len(_MAGIC) : len(_MAGIC) + _WORD], sys.byteorder)
        if not head.startswith(_MAGIC) or length > _MOST:
            raise ValueError("not an answer of sway")
        return await self._received.receive_exactly(length)

    async def tell(self, window: str, command: str) -> bool:
        """Give a command about one window; say whether sway took it."""
        answer = await self.ask(COMMAND, f"[con_id={int(window)}] {command}")
        return all(took.success for took in msgspec.json.decode(answer, type=tuple[Took, ...]))


@asynccontextmanager
async def connected(path: str) -> AsyncGenerator[Ipc]:
    """Connect to sway. Raises `SetupError` where nobody listens, and `ProviderError` where it takes nobody in."""
    try:
        with anyio.fail_after(SECONDS):
            stream = await reached(path)
    except TimeoutError:
        raise _silent() from None
    except OSError as odd:
        raise SetupError(
            f"sway does not answer on {path} (SWAYSOCK); start sayso from within sway", "screen.missing"
        ) from odd
    async with stream:
        yield Ipc(stream)


def _silent() -> ProviderError:
    return ProviderError(f"sway did not answer within {SECONDS:g} seconds", SILENT)


def _word(number: int) -> bytes:
    return number.to_bytes(_WORD, sys.byteorder)
