"""The connection to a browser: calls, their answers, and the events that arrive in between."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec
from msgspec import Struct

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import Clock
from sayso.core.provider import add_extra

T = TypeVar("T")
SECONDS = 10.0
"""Seconds to wait for an answer."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class ConnectionLost(Exception):
    """There is no connection to the browser, or the connection has broken."""


class CallError(Exception):
    """The browser answered a call with an error."""

    def __init__(self, method: str, message: str, code: str = "") -> None:
        super().__init__(message)
        self.method = method
        self.code = code


class Transport(Protocol):
    """Sends JSON messages to a browser and receives its messages."""

    def send(self, *texts: bytes) -> None:
        """Send messages."""
        ...

    def receive(self, seconds: float) -> list[bytes]:
        """Return the messages that have arrived, at least one. Raises `TimeoutError` or `ConnectionLost`."""
        ...

    def close(self) -> None:
        """Close the connection; the browser keeps running."""
        ...


class _Error(Struct, frozen=True):
    message: str = ""


class _Incoming(Struct, frozen=True):
    """A message from the browser: an answer has an `id`, an event has a `method`."""

    id: int = 0
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: _Error | str | None = None
    """The code of a WebDriver BiDi error, or the text of a DevTools error inside an object."""
    message: str = ""
    """The text of a WebDriver BiDi error; empty for a DevTools error."""
    session: str = msgspec.field(default="", name="sessionId")


class ProtocolEvent(Struct, frozen=True):
    """A message that the browser sends by itself, not as an answer."""

    method: str
    session: str
    params: msgspec.Raw

    def read(self, into: type[T]) -> T:
        """Return the event's parameters as a value of this type."""
        return msgspec.json.decode(self.params, type=into)


class ProtocolMessage(Struct, frozen=True, rename="camel"):
    """A message of the browser's protocol; members without a field in the class are ignored."""


class Ignored(Struct, frozen=True):
    """An answer whose content is not needed."""


Listener = Callable[[ProtocolEvent], None]


class ProtocolClient:
    """One connection and the calls over it. Only one thread may use it at a time."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock
        self._last_id = 0
        self._answers: dict[int, _Incoming] = {}
        self._unneeded: set[int] = set()
        """Ids of calls whose answers are discarded when they arrive."""
        self._listeners: tuple[Listener, ...] = ()
        self._decoder = msgspec.json.Decoder(_Incoming)

    def call(self, into: type[T], method: str, session: str = "", *, seconds: float = SECONDS, **params: Any) -> T:
        """Call a method and return its answer. Raises `CallError`, `ConnectionLost` or `TimeoutError`."""
        (answer,) = self.call_all(into, method, [params], session, seconds=seconds)
        if isinstance(answer, CallError):
            raise answer
        return answer

    def run(self, method: str, session: str = "", *, seconds: float = SECONDS, **params: Any) -> None:
        """Call a method and wait until it has finished; the content of its answer is ignored."""
        self.call(Ignored, method, session, seconds=seconds, **params)

    def call_all(
        self,
        into: type[T],
        method: str,
        calls: Iterable[Mapping[str, Any]],
        session: str = "",
        *,
        seconds: float = SECONDS,
    ) -> list[T | CallError]:
        """Call a method several times at once, with different parameters; return the answers in the same order.

        Raises `TimeoutError` if an answer does not arrive in time. An answer that is an error is returned as
        `CallError`.
        """
        ids = self._send([(method, params, session) for params in calls])
        if self._wait_for(ids, seconds):
            raise TimeoutError
        return [self._answer(into, method, id_) for id_ in ids]

    def call_each(
        self, into: type[T], method: str, calls: Iterable[Mapping[str, Any]], *, seconds: float = SECONDS
    ) -> list[T | CallError | None]:
        """Call like `call_all`, but return None for each answer that did not arrive in time."""
        return self._call_each(into, method, [(method, params, "") for params in calls], seconds)

    def call_in(
        self, into: type[T], method: str, calls: Mapping[str, Mapping[str, Any]], *, seconds: float = SECONDS
    ) -> list[T | CallError | None]:
        """Call a method once in each of these sessions, at the same time; return the answers like `call_each`."""
        return self._call_each(into, method, [(method, params, session) for session, params in calls.items()], seconds)

    def _call_each(
        self, into: type[T], method: str, calls: Iterable[tuple[str, Mapping[str, Any], str]], seconds: float
    ) -> list[T | CallError | None]:
        ids = self._send(calls)
        late = self._wait_for(ids, seconds)
        return [None if id_ in late else self._answer(into, method, id_) for id_ in ids]

    def _wait_for(self, ids: Sequence[int], seconds: float) -> set[int]:
        """Wait for answers; return the ids of the calls whose answers did not arrive in time.

        A late answer to one of these calls is discarded.
        """
        end = self._clock.monotonic() + seconds
        left = set(ids)
        while left := left - self._answers.keys():
            try:
                self._receive(end - self._clock.monotonic())
            except TimeoutError:
                self._unneeded |= left
                return left
        return left

    def post(self, method: str, session: str = "", **params: Any) -> None:
        """Call a method without waiting for its answer, for example in a listener during another call."""
        self._unneeded.update(self._send([(method, params, session)]))

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Receive events until a condition holds or the time is over; return whether the condition holds."""
        end = self._clock.monotonic() + seconds
        while not until():
            left = end - self._clock.monotonic()
            if left <= 0:
                return False
            try:
                self._receive(left)
            except TimeoutError:
                return until()
        return True

    def pause(self, seconds: float) -> None:
        """Receive events for this many seconds."""
        self.wait(lambda: False, seconds)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass all further events to a listener; return a function that stops this."""
        self._listeners = (*self._listeners, listener)

        def stop() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not listener)

        return stop

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    def _send(self, calls: Iterable[tuple[str, Mapping[str, Any], str]]) -> list[int]:
        ids: list[int] = []
        texts: list[bytes] = []
        for method, params, session in calls:
            self._last_id += 1
            ids.append(self._last_id)
            given = {name: value for name, value in params.items() if value is not None}
            call: dict[str, Any] = {"id": self._last_id, "method": method, "params": given}
            texts.append(msgspec.json.encode({**call, "sessionId": session} if session else call))
        self._transport.send(*texts)
        return ids

    def _receive(self, seconds: float) -> None:
        if seconds <= 0:
            raise TimeoutError
        for text in self._transport.receive(seconds):
            message = self._decoder.decode(replace_surrogates(text))
            if message.id in self._unneeded:
                self._unneeded.discard(message.id)
            elif message.id:
                self._answers[message.id] = message
            else:
                for listener in self._listeners:
                    listener(ProtocolEvent(message.method, message.session, message.params))

    def _answer(self, into: type[T], method: str, id_: int) -> T | CallError:
        message = self._answers.pop(id_)
        if isinstance(message.error, str):
            return CallError(method, message.message, message.error)
        if message.error is not None:
            return CallError(method, message.error.message)
        return msgspec.json.decode(message.result, type=into)


def replace_surrogates(text: bytes) -> bytes:
    """Return a message in which lone surrogates are replaced, because text cannot contain them."""
    if _SURROGATE.search(text) is None:
        return text
    return re.sub(
        "[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", json.dumps(json.loads(text), ensure_ascii=False)
    ).encode()


WEBSOCKET = "sayso.providers.browser.remote.websocket"
"""The module is imported only when sayso connects to a browser, because it needs the library of an extra."""


def open_transport(host: str, port: int, path: str) -> Transport:
    """Return a new connection. Raises `ConnectionLost`, and `SetupError` if the library is not installed."""
    return cast("Callable[[str, int, str], Transport]", _load("WebSocket"))(host, port, path)


def fetch(host: str, port: int, path: str) -> bytes:
    """Return the body that the browser's DevTools serve over HTTP at this path. Raises `ConnectionLost`."""
    return cast("Callable[[str, int, str], bytes]", _load("fetch"))(host, port, path)


def probe(host: str, port: int) -> None:
    """Connect, read the first bytes, and disconnect."""
    cast("Callable[[str, int], None]", _load("probe"))(host, port)


def must_be_installed() -> None:
    """Raise `SetupError` if the library is missing; checked before a browser is started."""
    _load("WebSocket")


def _load(name: str) -> object:
    try:
        return load(f"{WEBSOCKET}:{name}")
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"talking to a browser needs {missing.name}, which is not installed; {add_extra('browser')}",
            "browser.extra",
        ) from missing
