"""Call one method on the session's D-Bus and wait for its answer, no longer than a bound."""

from collections.abc import Mapping
from typing import Any

import anyio
from anyio.abc import SocketStream
from jeepney import DBusAddress, HeaderFields, Message, MessageType, Parser, new_method_call
from jeepney.auth import BEGIN, AuthenticationError, Authenticator
from jeepney.bus import get_connectable_addresses

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.values import dataclass

ADDRESS = "DBUS_SESSION_BUS_ADDRESS"
SECONDS = 10.0
NOBODY_THERE = ("ServiceUnknown", "NameHasNoOwner", "Spawn.ChildExited", "Spawn.ExecFailed", "Spawn.ServiceNotFound")
_AT_ONCE = 65536
_ITSELF = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
_HELLO, _CALL = 1, 2


@dataclass(frozen=True)
class Method:
    """A method of an object on the bus, and what it is called for in words: “the notification service”."""

    service: str
    path: str
    interface: str
    name: str
    who: str


class NoService(SetupError):
    """Nobody on the bus answers under this name."""


class Bus:
    """The session's bus; every call has a connection of its own, so that none is left open."""

    def __init__(self, environ: Mapping[str, str], seconds: float = SECONDS) -> None:
        self._address = environ.get(ADDRESS, "")
        self._seconds = seconds

    @property
    def there(self) -> bool:
        """Say whether the session names a bus."""
        return bool(self._address)

    async def call(self, method: Method, signature: str = "", *values: Any) -> tuple[Any, ...]:
        """Return what the method answers.

        Raises `NoService` where nobody answers to the name, `ProviderError` with the answer's own words for an
        error, and `Uncertain` when the call was sent and no answer came in time.
        """
        address = DBusAddress(method.path, method.service, method.interface)
        message = new_method_call(address, method.name, signature or None, values)
        hello = new_method_call(_ITSELF, "Hello", None, ())
        parser = Parser()
        sent = False
        try:
            with anyio.fail_after(self._seconds):
                async with await self._connected() as stream:
                    await _authenticate(stream)
                    await stream.send(hello.serialise(_HELLO))
                    await _answer(stream, parser, _HELLO)
                    sent = True
                    await stream.send(message.serialise(_CALL))
                    return _body(await _answer(stream, parser, _CALL), method)
        except TimeoutError:
            silent = f"{method.who} did not answer within {self._seconds:g} seconds"
            raise (Uncertain(silent) if sent else ProviderError(silent, "desktop.silent")) from None
        except (OSError, anyio.EndOfStream, anyio.BrokenResourceError, AuthenticationError) as odd:
            gone = f"the D-Bus of your session broke off: {odd}".rstrip(": ")
            raise (Uncertain(gone) if sent else SetupError(gone, "desktop.bus")) from None

    async def property(self, method: Method) -> Any:
        """Return the value of a property, whose name is the method's."""
        asked = Method(method.service, method.path, "org.freedesktop.DBus.Properties", "Get", method.who)
        ((_, value),) = await self.call(asked, "ss", method.interface, method.name)
        return value

    async def set_property(self, method: Method, signature: str, value: Any) -> None:
        """Set a property, whose name is the method's."""
        asked = Method(method.service, method.path, "org.freedesktop.DBus.Properties", "Set", method.who)
        await self.call(asked, "ssv", method.interface, method.name, (signature, value))

    async def _connected(self) -> SocketStream:
        if not self._address:
            raise SetupError(
                "this session has no D-Bus (DBUS_SESSION_BUS_ADDRESS is not set); start sayso from within your desktop",
                "desktop.bus",
            )
        try:
            addresses = list(get_connectable_addresses(self._address))
        except (RuntimeError, ValueError):
            raise SetupError(
                "DBUS_SESSION_BUS_ADDRESS names no bus that can be reached; start sayso from within your desktop",
                "desktop.bus",
            ) from None
        return await anyio.connect_unix(addresses[0])


async def _authenticate(stream: SocketStream) -> None:
    authenticator = Authenticator()
    for request in authenticator:
        await stream.send(request)
        authenticator.feed(await stream.receive(_AT_ONCE))
    await stream.send(BEGIN)


async def _answer(stream: SocketStream, parser: Parser, serial: int) -> Message:
    while True:
        message = parser.get_next_message()
        if message is None:
            parser.add_data(await stream.receive(_AT_ONCE))
        elif message.header.fields.get(HeaderFields.reply_serial) == serial:
            return message


def _body(message: Message, method: Method) -> tuple[Any, ...]:
    if message.header.message_type is not MessageType.error:
        return message.body
    name = str(message.header.fields.get(HeaderFields.error_name, ""))
    said = " ".join(str(part) for part in message.body)
    if name.endswith(NOBODY_THERE):
        raise NoService(f"{method.who} is not running", "desktop.missing")
    raise ProviderError(f"{method.who} refused: {said or name}", "desktop.refused")
