"""Call a method on the session's D-Bus and wait for its answer, with a time limit."""

from collections.abc import Awaitable, Callable, Mapping
from socket import AF_UNIX, socket
from typing import Any, TypeVar

import anyio
from anyio.abc import UNIXSocketStream
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.lazy import load
from sayso.core.provider import add_extra

RETRY_SECONDS = 0.02


async def open_socket(path: str) -> UNIXSocketStream:
    """Connect to a socket, however long it takes; the socket is closed on an error or if the caller is cancelled.

    Raises `OSError`.
    """
    made = socket(AF_UNIX)
    try:
        made.settimeout(0)
        while True:
            try:
                made.connect(path)
            except BlockingIOError:
                # The queue of waiting connections is full, and nothing signals when it has space again.
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


def no_extra() -> str:
    """Return what is missing for talking to the desktop, and what installs it."""
    return f"talking to the desktop needs jeepney, which is not installed; {add_extra('desktop')}"


class BusMethod(Struct, frozen=True):
    """A method of an object on the bus; `who` names its owner in error messages: “the notification service”."""

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
    """No program on the bus has the name of the service."""


class SessionBus:
    """The session's bus; every call opens and closes its own connection."""

    def __init__(self, environ: Mapping[str, str], seconds: float = SECONDS) -> None:
        self._address = environ.get(ADDRESS, "")
        self._seconds = seconds

    async def call(self, method: BusMethod, signature: str = "", *values: Any) -> tuple[Any, ...]:
        """Call a method and return its answer.

        Raises `NoService` if no program has the service's name, `ProviderError` with the error's text if the method
        returned an error, and `Uncertain` if the call was sent but no answer came in time.
        """
        where = (method.path, method.service, method.interface)
        reply = await self._exchange_with(
            method.who, lambda connection: connection.call(where, method.name, signature, values)
        )
        return _body(reply.body, reply.error, method)

    async def send_signal(self, signal: BusSignal, signature: str, *values: Any) -> None:
        """Send a signal to all programs on the bus. Raises the same errors as `call`."""
        where = (signal.path, signal.interface)
        await self._exchange_with(
            "the D-Bus", lambda connection: connection.send_signal(where, signal.name, signature, values)
        )

    async def property(self, method: BusMethod) -> Any:
        """Return the value of a property; `method.name` is the name of the property."""
        asked = BusMethod(method.service, method.path, "org.freedesktop.DBus.Properties", "Get", method.who)
        ((_, value),) = await self.call(asked, "ss", method.interface, method.name)
        return value

    async def set_property(self, method: BusMethod, signature: str, value: Any) -> None:
        """Set a property; `method.name` is the name of the property."""
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
            raise SetupError(no_extra(), "desktop.extra") from None


def _body(body: tuple[Any, ...], error: str, method: BusMethod) -> tuple[Any, ...]:
    if error.endswith(NOBODY_THERE):
        raise NoService(f"{method.who} is not running", "desktop.missing")
    if error:
        said = " ".join(str(part) for part in body)
        raise ProviderError(f"{method.who} refused: {said or error}", "desktop.refused")
    return body
