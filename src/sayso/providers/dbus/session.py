"""Call a method on the session's D-Bus and wait for its answer, with a limit."""

from collections.abc import Awaitable, Callable, Mapping
from socket import AF_UNIX, socket
from typing import Any, TypeVar

import anyio
from anyio.abc import UNIXSocketStream
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.lazy import load

RETRY_SECONDS = 0.02


async def open_socket(path: str) -> UNIXSocketStream:
    """Connect, however long it takes; nothing stays open when the caller is cancelled. Raises `OSError`."""
    made = socket(AF_UNIX)
    try:
        made.settimeout(0)
        while True:
            try:
                made.connect(path)
            except BlockingIOError:
                # Too many wait to be accepted, and nothing signals that there is room again.
                await anyio.sleep(RETRY_SECONDS)
            else:
                return await UNIXSocketStream.from_socket(made)
    except BaseException:
        made.close()
        raise


T = TypeVar("T")

ADDRESS = "DBUS_SESSION_BUS_ADDRESS"
SECONDS = 10.0
NOBODY_THERE = ("ServiceUnknown", "NameHasNoOwner", "Spawn.ChildExited", "Spawn.ExecFailed", "Spawn.ServiceNotFound")
FROM_WITHIN = "start sayso from within your desktop"
NO_BUS = f"this session has no D-Bus (DBUS_SESSION_BUS_ADDRESS is not set); {FROM_WITHIN}"
ODD_BUS = f"DBUS_SESSION_BUS_ADDRESS names no bus that can be reached; {FROM_WITHIN}"
NO_EXTRA = "the desktop is spoken to with jeepney, which is not installed; pip install 'sayso[desktop]'"


class BusMethod(Struct, frozen=True):
    """A method of an object on the bus, and what an error message calls its owner: “the notification service”."""

    service: str
    path: str
    interface: str
    name: str
    who: str


class BusSignal(Struct, frozen=True):
    """A signal of an object on the bus."""

    path: str
    interface: str
    name: str


class NoService(SetupError):
    """Nobody on the bus answers under this name."""


class SessionBus:
    """The session's bus; every call makes a connection of its own, so that none is left open."""

    def __init__(self, environ: Mapping[str, str], seconds: float = SECONDS) -> None:
        self._address = environ.get(ADDRESS, "")
        self._seconds = seconds

    async def call(self, method: BusMethod, signature: str = "", *values: Any) -> tuple[Any, ...]:
        """Return what the method answers.

        Raises `NoService` where nobody answers to the name, `ProviderError` with the answer's own words for an
        error, and `Uncertain` when the call was sent and no answer came in time.
        """
        where = (method.path, method.service, method.interface)
        reply = await self._exchange_with(
            method.who, lambda connection: connection.call(where, method.name, signature, values)
        )
        return _body(reply.body, reply.error, method)

    async def send_signal(self, signal: BusSignal, signature: str, *values: Any) -> None:
        """Send a signal to everybody on the bus. Raises as `call` does."""
        where = (signal.path, signal.interface)
        await self._exchange_with(
            "the D-Bus", lambda connection: connection.send_signal(where, signal.name, signature, values)
        )

    async def property(self, method: BusMethod) -> Any:
        """Return the value of a property, whose name is the method's."""
        asked = BusMethod(method.service, method.path, "org.freedesktop.DBus.Properties", "Get", method.who)
        ((_, value),) = await self.call(asked, "ss", method.interface, method.name)
        return value

    async def set_property(self, method: BusMethod, signature: str, value: Any) -> None:
        """Set a property, whose name is the method's."""
        asked = BusMethod(method.service, method.path, "org.freedesktop.DBus.Properties", "Set", method.who)
        await self.call(asked, "ssv", method.interface, method.name, (signature, value))

    async def _exchange_with(self, who: str, exchange: Callable[[Any], Awaitable[T]]) -> T:
        connect = self._load_connect()
        sent = False
        try:
            with anyio.fail_after(self._seconds):
                async with connect(self._address) as connection:
                    sent = True
                    return await exchange(connection)
        except TimeoutError:
            silent = f"{who} did not answer within {self._seconds:g} seconds"
            raise (Uncertain(silent) if sent else ProviderError(silent, "desktop.silent")) from None
        except ValueError:
            raise SetupError(ODD_BUS, "desktop.bus") from None
        except OSError as error:
            gone = f"the D-Bus of your session cannot be reached: {error.strerror or error}"
            raise (Uncertain(gone) if sent else SetupError(f"{gone}; {FROM_WITHIN}", "desktop.bus")) from None

    def _load_connect(self) -> Any:
        if not self._address:
            raise SetupError(NO_BUS, "desktop.bus")
        try:
            return load("sayso.providers.dbus.connection:connect")
        except ImportError:
            raise SetupError(NO_EXTRA, "desktop.extra") from None


def _body(body: tuple[Any, ...], error: str, method: BusMethod) -> tuple[Any, ...]:
    if error.endswith(NOBODY_THERE):
        raise NoService(f"{method.who} is not running", "desktop.missing")
    if error:
        said = " ".join(str(part) for part in body)
        raise ProviderError(f"{method.who} refused: {said or error}", "desktop.refused")
    return body
