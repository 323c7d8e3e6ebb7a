"""Speak D-Bus over a socket: the one module that needs jeepney."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import SocketStream
from jeepney import DBusAddress, HeaderFields, Message, MessageType, Parser, new_method_call
from jeepney.auth import BEGIN, AuthenticationError, Authenticator
from jeepney.bus import get_connectable_addresses

from sayso.core.values import dataclass

_AT_ONCE = 65536
_ITSELF = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
_HELLO, _CALL = 1, 2


@dataclass(frozen=True)
class Reply:
    """What was answered; `error` is the name of an error, empty for none."""

    body: tuple[Any, ...]
    error: str = ""


class Connection:
    """A connection for one call."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._parser = Parser()

    async def greet(self) -> None:
        """Say who we are, which comes before everything else."""
        authenticator = Authenticator()
        for request in authenticator:
            await self._stream.send(request)
            authenticator.feed(await self._stream.receive(_AT_ONCE))
        await self._stream.send(BEGIN)
        await self._answer(new_method_call(_ITSELF, "Hello", None, ()), _HELLO)

    async def call(self, where: tuple[str, str, str], name: str, signature: str, values: tuple[Any, ...]) -> Reply:
        """Call a method of the object at path, service and interface, and return what it answers."""
        message = new_method_call(DBusAddress(*where), name, signature or None, values)
        try:
            answer = await self._answer(message, _CALL)
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            raise ConnectionError("it broke off") from None
        if answer.header.message_type is MessageType.error:
            return Reply(answer.body, str(answer.header.fields.get(HeaderFields.error_name, "")))
        return Reply(answer.body)

    async def _answer(self, message: Message, serial: int) -> Message:
        await self._stream.send(message.serialise(serial))
        while True:
            answer = self._parser.get_next_message()
            if answer is None:
                self._parser.add_data(await self._stream.receive(_AT_ONCE))
            elif answer.header.fields.get(HeaderFields.reply_serial) == serial:
                return answer


@asynccontextmanager
async def connected(address: str) -> AsyncGenerator[Connection]:
    """Connect to the bus at this address. Raises `OSError` where that cannot be done, `ValueError` for no address."""
    try:
        path = next(iter(get_connectable_addresses(address)))
    except RuntimeError as other:
        raise ValueError(str(other)) from None
    async with await anyio.connect_unix(path) as stream:
        connection = Connection(stream)
        try:
            await connection.greet()
        except (AuthenticationError, anyio.EndOfStream, anyio.BrokenResourceError):
            raise ConnectionError("it does not let us in") from None
        yield connection
