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
    """Connect, however long that takes; who gives up leaves nothing behind. Raises `OSError`."""
    made = socket(AF_UNIX)
    try:
        made.settimeout(0)
        while True:
            try:
                made.connect(path)
            except BlockingIOError:
                # Too many wait to be taken in, and nothing tells when there is room again.
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
    """A method of an object on the bus, and what it is called for in words: “the notification service”."""

    service: str
    path: str
    interface: str
    name: str
    who: str


class BusSignal(Struct, frozen=True):
    """What an object on the bus tells everybody."""

    path: str
    interface: str
    name: str


class NoService(SetupError):
    """Nobody on the bus answers under this name."""


class SessionBus:
    """The session's bus; every call has a connection of its own, so that none is left open."""

    def __init__(self, environ: Mapping[str, str], seconds: float = SECONDS) -> None:
        self._address = environ.get(ADDRESS, "")
        self._seconds = seconds

    @property
    def there(self) -> bool:
        """Say whether the session names a bus."""
        return bool(self._address)

    async def call(self, method: BusMethod, signature: str = "", *values: Any) -> tuple[Any, ...]:
        """Return what the method answers.

        Raises `NoService` where nobody answers to the name, `ProviderError` with the answer's own words for an
        error, and `Uncertain` when the call was sent and no answer came in time.
        """
        where = (method.path, method.service, method.interface)
        reply = await self._exchange_with(method.who, lambda wire: wire.call(where, method.name, signature, values))
        return _body(reply.body, reply.error, method)

    async def tell(self, signal: BusSignal, signature: str, *values: Any) -> None:
        """Tell everybody on the bus; raises as `call` does."""
        where = (signal.path, signal.interface)
        await self._exchange_with("the D-Bus", lambda wire: wire.tell(where, signal.name, signature, values))

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
        connected = self._connect_bus()
        sent = False
        try:
            with anyio.fail_after(self._seconds):
                async with connected(self._address) as wire:
                    sent = True
                    return await exchange(wire)
        except TimeoutError:
            silent = f"{who} did not answer within {self._seconds:g} seconds"
            raise (Uncertain(silent) if sent else ProviderError(silent, "desktop.silent")) from None
        except ValueError:
            raise SetupError(ODD_BUS, "desktop.bus") from None
        except OSError as odd:
            gone = f"the D-Bus of your session cannot be reached: {odd.strerror or odd}"
            raise (Uncertain(gone) if sent else SetupError(f"{gone}; {FROM_WITHIN}", "desktop.bus")) from None

    def _connect_bus(self) -> Any:
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
