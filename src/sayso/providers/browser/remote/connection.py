"""The connection to a browser: calls and their answers, with the events that come between."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec
from msgspec import Struct

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import Clock

T = TypeVar("T")
SECONDS = 10.0
"""How long an answer may take."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class ConnectionLost(Exception):
    """There is no connection to the browser, or none any more."""


class CallError(Exception):
    """The browser answered a call with an error."""

    def __init__(self, method: str, message: str, code: str = "") -> None:
        super().__init__(message)
        self.method = method
        self.code = code


class Transport(Protocol):
    """What sends texts to a browser and receives its texts."""

    def send(self, *texts: bytes) -> None:
        """Send texts."""
        ...

    def receive(self, seconds: float) -> list[bytes]:
        """Return what has come, at least one text. Raises `TimeoutError`, and `ConnectionLost`."""
        ...

    def close(self) -> None:
        """Close the connection; the browser goes on."""
        ...


class _Error(Struct, frozen=True):
    message: str = ""


class _Incoming(Struct, frozen=True):
    """An answer, which has an id, or an event, which has a method."""

    id: int = 0
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: _Error | str | None = None
    """The DevTools describe an error in words; WebDriver BiDi gives a code, and the words in `message`."""
    message: str = ""
    session: str = msgspec.field(default="", name="sessionId")


class ProtocolEvent(Struct, frozen=True):
    """Something that the browser reports without being asked."""

    method: str
    session: str
    params: msgspec.Raw

    def read(self, into: type[T]) -> T:
        """Return its parameters."""
        return msgspec.json.decode(self.params, type=into)


class ProtocolMessage(Struct, frozen=True, rename="camel"):
    """A message of a browser; parts that are not named here are left out."""


class Ignored(Struct, frozen=True):
    """An answer that nobody needs."""


Listener = Callable[[ProtocolEvent], None]


class ProtocolClient:
    """One connection, and the calls over it. Not for two threads at once."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock
        self._last_id = 0
        self._answers: dict[int, _Incoming] = {}
        self._unneeded: set[int] = set()
        """Calls whose answers nobody waits for, or no longer."""
        self._listeners: tuple[Listener, ...] = ()
        self._decoder = msgspec.json.Decoder(_Incoming)

    def call(self, into: type[T], method: str, session: str = "", *, seconds: float = SECONDS, **params: Any) -> T:
        """Call a method and return its answer. Raises `CallError`, `ConnectionLost` and `TimeoutError`."""
        (answer,) = self.call_all(into, method, [params], session, seconds=seconds)
        if isinstance(answer, CallError):
            raise answer
        return answer

    def run(self, method: str, session: str = "", *, seconds: float = SECONDS, **params: Any) -> None:
        """Call a method and wait until it was done; its answer is not needed."""
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
        """Call a method many times at once, and return the answers in the same order."""
        ids = self._send([(method, params, session) for params in calls])
        if self._wait_for(ids, seconds):
            raise TimeoutError
        return [self._answer(into, method, id_) for id_ in ids]

    def call_each(
        self, into: type[T], method: str, calls: Iterable[Mapping[str, Any]], *, seconds: float = SECONDS
    ) -> list[T | CallError | None]:
        """Call as `call_all` does; None stands for an answer that did not come in time."""
        return self._call_each(into, method, [(method, params, "") for params in calls], seconds)

    def call_in(
        self, into: type[T], method: str, calls: Mapping[str, Mapping[str, Any]], *, seconds: float = SECONDS
    ) -> list[T | CallError | None]:
        """Call a method once in each of these sessions, all at once, and return the answers as `call_each` does."""
        return self._call_each(into, method, [(method, params, session) for session, params in calls.items()], seconds)

    def _call_each(
        self, into: type[T], method: str, calls: Iterable[tuple[str, Mapping[str, Any], str]], seconds: float
    ) -> list[T | CallError | None]:
        ids = self._send(calls)
        late = self._wait_for(ids, seconds)
        return [None if id_ in late else self._answer(into, method, id_) for id_ in ids]

    def _wait_for(self, ids: Sequence[int], seconds: float) -> set[int]:
        """Wait for answers; return the calls whose answers did not come in time, and are not waited for any more."""
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
        """Call a method without waiting, such as to answer an event while something else is waited for."""
        self._unneeded.update(self._send([(method, params, session)]))

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Hear events until a condition holds; return whether it came to that in time."""
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
        """Hear events for a while."""
        self.wait(lambda: False, seconds)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass all events to a listener from now on; return how to stop that."""
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
    """Return a message in which lone surrogates, which no text can hold, are replaced."""
    if _SURROGATE.search(text) is None:
        return text
    return re.sub(
        "[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", json.dumps(json.loads(text), ensure_ascii=False)
    ).encode()


WEBSOCKET = "sayso.providers.browser.remote.websocket"
"""Imported only when a browser is spoken to: it needs a library that comes with an extra."""


def open_transport(host: str, port: int, path: str) -> Transport:
    """Return a connection. Raises `ConnectionLost`, and `SetupError` if the library is not installed."""
    return cast("Callable[[str, int, str], Transport]", _load("WebSocket"))(host, port, path)


def fetch(host: str, port: int, path: str) -> bytes:
    """Return a page of the list that a browser keeps of its targets. Raises `ConnectionLost`."""
    return cast("Callable[[str, int, str], bytes]", _load("fetch"))(host, port, path)


def probe(host: str, port: int) -> None:
    """Connect, wait for the first words, and leave."""
    cast("Callable[[str, int], None]", _load("probe"))(host, port)


def must_be_installed() -> None:
    """Raise `SetupError` if the library is missing, before a browser is started that nobody could speak to."""
    _load("WebSocket")


def _load(name: str) -> object:
    try:
        return load(f"{WEBSOCKET}:{name}")
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"a browser is spoken to with {missing.name}, which is not installed; pip install 'sayso[browser]'",
            "browser.extra",
        ) from missing
