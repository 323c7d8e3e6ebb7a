"""Speak D-Bus over a socket; this is the only module that needs jeepney."""

from collections import deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from typing import Any

import anyio
from anyio.abc import SocketStream
from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    Parser,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.auth import BEGIN, AuthenticationError, Authenticator
from jeepney.bus import get_connectable_addresses
from msgspec import Struct

from sayso.providers.dbus.session import open_socket

_AT_ONCE = 65536
_MOST_SIGNALS = 1000
_ITSELF = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")


class BusReply(Struct, frozen=True):
    """An answer to a call; `error` is the name of the D-Bus error, or empty if there was none."""

    body: tuple[Any, ...]
    error: str = ""


class IncomingCall(Struct, frozen=True):
    """A method call that another program on the bus sends to sayso."""

    message: Message

    @property
    def sender(self) -> str:
        """Return the unique name of the caller, which the bus sets and no program can forge."""
        return str(self.message.header.fields.get(HeaderFields.sender, ""))

    @property
    def body(self) -> tuple[Any, ...]:
        """Return the arguments of the call."""
        return self.message.body


class Heard(Struct, frozen=True):
    """A signal of a service that sayso listens to."""

    name: str
    body: tuple[Any, ...]


class BusConnection:
    """An open connection to the bus, for making calls, answering them and hearing signals, one at a time."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._parser = Parser()
        self._serials = count(1)
        self._calls: deque[IncomingCall] = deque()
        self._signals: deque[Heard] = deque(maxlen=_MOST_SIGNALS)
        self._heard: dict[str, str] = {}
        """For each interface whose signals are kept, the unique name of the program whose they are."""
        self.name = ""
        """sayso's unique name on the bus."""

    async def greet(self) -> None:
        """Authenticate and get a name on the bus; this must come before any call."""
        authenticator = Authenticator()
        for request in authenticator:
            await self._stream.send(request)
            authenticator.feed(await self._stream.receive(_AT_ONCE))
        await self._stream.send(BEGIN)
        answer = await self._answer(new_method_call(_ITSELF, "Hello", None, ()))
        self.name = str(answer.body[0])

    async def call(self, where: tuple[str, str, str], name: str, signature: str, values: tuple[Any, ...]) -> BusReply:
        """Call a method of an object and return its reply; `where` is the path, service and interface."""
        message = new_method_call(DBusAddress(*where), name, signature or None, values)
        with _unbroken():
            answer = await self._answer(message)
        if answer.header.message_type is MessageType.error:
            return BusReply(answer.body, str(answer.header.fields.get(HeaderFields.error_name, "")))
        return BusReply(answer.body)

    async def send_signal(self, where: tuple[str, str], name: str, signature: str, values: tuple[Any, ...]) -> None:
        """Send a signal and wait until the bus has received it; `where` is the path and interface."""
        message = new_signal(DBusAddress(where[0], None, where[1]), name, signature, values)
        with _unbroken():
            await self._stream.send(message.serialise(next(self._serials)))
            await self._answer(new_method_call(_ITSELF, "GetId", None, ()))

    async def next_call(self) -> IncomingCall:
        """Wait until another program calls sayso, and return the call."""
        with _unbroken():
            while not self._calls:
                self._keep(await self._next())
        return self._calls.popleft()

    async def listen(self, service: str, interface: str) -> None:
        """Keep the signals of the program that has the service's name now, and of no other, for `next_signal`.

        Raises `ConnectionError` if no program has the name.
        """
        if interface not in self._heard:
            rule = f"type='signal',sender='{service}',interface='{interface}'"
            await self._answer(new_method_call(_ITSELF, "AddMatch", "s", (rule,)))
        owner = await self._answer(new_method_call(_ITSELF, "GetNameOwner", "s", (service,)))
        if owner.header.message_type is MessageType.error:
            raise ConnectionError(f"{service} is not there")
        self._heard[interface] = str(owner.body[0])

    async def next_signal(self) -> Heard:
        """Wait for a signal of a service that is listened to, and return it; this may be cancelled."""
        with _unbroken():
            while not self._signals:
                self._keep(await self._next())
        return self._signals.popleft()

    async def answer(self, call: IncomingCall, signature: str, values: tuple[Any, ...]) -> None:
        """Send the answer to a call."""
        with _unbroken():
            await self._stream.send(new_method_return(call.message, signature, values).serialise(next(self._serials)))

    async def _answer(self, message: Message) -> Message:
        serial = next(self._serials)
        await self._stream.send(message.serialise(serial))
        while True:
            answer = await self._next()
            if answer.header.fields.get(HeaderFields.reply_serial) == serial:
                return answer
            self._keep(answer)

    def _keep(self, message: Message) -> None:
        """Keep an incoming call for `next_call`, and a signal that is listened to; other messages are dropped."""
        fields = message.header.fields
        if message.header.message_type is MessageType.method_call:
            self._calls.append(IncomingCall(message))
        elif message.header.message_type is MessageType.signal:
            # The bus names the sender: another program may send the same signal, and it is not heard.
            owner = self._heard.get(str(fields.get(HeaderFields.interface, "")))
            if owner is not None and owner == fields.get(HeaderFields.sender):
                self._signals.append(Heard(str(fields.get(HeaderFields.member, "")), message.body))

    async def _next(self) -> Message:
        while (message := self._parser.get_next_message()) is None:
            self._parser.add_data(await self._stream.receive(_AT_ONCE))
        return message


@contextmanager
def _unbroken() -> Generator[None]:
    """Turn the errors of a broken connection into `ConnectionError`."""
    try:
        yield
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        raise ConnectionError("it broke off") from None


@asynccontextmanager
async def connect(address: str) -> AsyncGenerator[BusConnection]:
    """Connect to the bus at this address.

    Raises `OSError` if the connection fails, and `ValueError` if no socket in the address can be used.
    """
    try:
        path = next(iter(get_connectable_addresses(address)))
    except RuntimeError as other:
        raise ValueError(str(other)) from None
    async with await open_socket(path) as stream:
        connection = BusConnection(stream)
        try:
            await connection.greet()
        except (AuthenticationError, anyio.EndOfStream, anyio.BrokenResourceError):
            raise ConnectionError("it does not let us in") from None
        yield connection
