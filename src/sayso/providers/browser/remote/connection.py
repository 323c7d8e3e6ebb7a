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
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
SECONDS = 10.0
"""How long an answer may take."""


class Lost(Exception):
    """There is no connection to the browser, or none any more."""


class No(Exception):
    """The browser answered a call with an error."""

    def __init__(self, method: str, said: str, code: str = "") -> None:
        super().__init__(said)
        self.method = method
        self.code = code


class Carries(Protocol):
    """What texts go out and come in over."""

    def send(self, *texts: bytes) -> None:
        """Send texts."""
        ...

    def receive(self, seconds: float) -> list[bytes]:
        """Return what has come, at least one text."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Error(msgspec.Struct, frozen=True):
    """What was wrong with a call."""

    message: str = ""


class Message(msgspec.Struct, frozen=True):
    """An answer, which has an id, or an event, which has a method."""

    id: int = 0
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: Error | str | None = None
    """What was wrong: the DevTools say it in words, WebDriver BiDi as a code with the words beside it."""
    message: str = ""
    session: str = msgspec.field(default="", name="sessionId")


class Event(Struct, frozen=True):
    """Something that the browser told without being asked."""

    method: str
    session: str
    params: msgspec.Raw

    def read(self, into: type[T]) -> T:
        """Return what it says."""
        return msgspec.json.decode(self.params, type=into)


class Ignored(msgspec.Struct, frozen=True):
    """An answer that nobody needs."""


Heard = Callable[[Event], None]


class Devtools:
    """One connection, and what is asked over it. Not for two threads at once."""

    def __init__(self, carries: Carries, clock: Clock) -> None:
        self._carries = carries
        self._clock = clock
        self._asked = 0
        self._answers: dict[int, Message] = {}
        self._unneeded: set[int] = set()
        """Calls whose answers nobody waits for, or no longer."""
        self._listening: tuple[Heard, ...] = ()
        self._reads = msgspec.json.Decoder(Message)

    def ask(self, into: type[T], method: str, session: str = "", *, seconds: float = SECONDS, **params: Any) -> T:
        """Call, and return the answer. Raises `No`, `Lost` and `TimeoutError`."""
        (answer,) = self.ask_all(into, method, [params], session, seconds=seconds)
        if isinstance(answer, No):
            raise answer
        return answer

    def tell(self, method: str, session: str = "", *, seconds: float = SECONDS, **params: Any) -> None:
        """Call, wait until it was done, and need no answer."""
        self.ask(Ignored, method, session, seconds=seconds, **params)

    def ask_all(
        self,
        into: type[T],
        method: str,
        calls: Iterable[Mapping[str, Any]],
        session: str = "",
        *,
        seconds: float = SECONDS,
    ) -> list[T | No]:
        """Call many times at once, and return the answers in the same order."""
        numbers = self._send([(method, params, session) for params in calls])
        if self._late(numbers, seconds):
            raise TimeoutError
        return [self._answer(into, method, number) for number in numbers]

    def ask_each(
        self, into: type[T], method: str, calls: Iterable[Mapping[str, Any]], *, seconds: float = SECONDS
    ) -> list[T | No | None]:
        """Call many times at once, and return the answers in the same order; None for one that did not come in time."""
        return self._each(into, method, [(method, params, "") for params in calls], seconds)

    def ask_in(
        self, into: type[T], method: str, calls: Mapping[str, Mapping[str, Any]], *, seconds: float = SECONDS
    ) -> list[T | No | None]:
        """Call once in each of these sessions, all at once, and return the answers as `ask_each` does."""
        return self._each(into, method, [(method, params, session) for session, params in calls.items()], seconds)

    def _each(
        self, into: type[T], method: str, calls: Iterable[tuple[str, Mapping[str, Any], str]], seconds: float
    ) -> list[T | No | None]:
        numbers = self._send(calls)
        late = self._late(numbers, seconds)
        return [None if number in late else self._answer(into, method, number) for number in numbers]

    def _late(self, numbers: Sequence[int], seconds: float) -> set[int]:
        """Wait for answers; return the calls whose answers did not come in time, and are not waited for any more."""
        end = self._clock.monotonic() + seconds
        left = set(numbers)
        while left := left - self._answers.keys():
            try:
                self._hear(end - self._clock.monotonic())
            except TimeoutError:
                self._unneeded |= left
                return left
        return left

    def say(self, method: str, session: str = "", **params: Any) -> None:
        """Call without waiting: for what is answered to an event, while something else is waited for."""
        self._unneeded.update(self._send([(method, params, session)]))

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Hear events until something is so; return whether it came to that in time."""
        end = self._clock.monotonic() + seconds
        while not until():
            left = end - self._clock.monotonic()
            if left <= 0:
                return False
            try:
                self._hear(left)
            except TimeoutError:
                return until()
        return True

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Let somebody hear all events from now on; return how to stop that."""
        self._listening = (*self._listening, heard)

        def stop() -> None:
            self._listening = tuple(each for each in self._listening if each is not heard)

        return stop

    def close(self) -> None:
        """Let go of the connection."""
        self._carries.close()

    def _send(self, calls: Iterable[tuple[str, Mapping[str, Any], str]]) -> list[int]:
        numbers: list[int] = []
        texts: list[bytes] = []
        for method, params, session in calls:
            self._asked += 1
            numbers.append(self._asked)
            told = {name: value for name, value in params.items() if value is not None}
            call: dict[str, Any] = {"id": self._asked, "method": method, "params": told}
            texts.append(msgspec.json.encode({**call, "sessionId": session} if session else call))
        self._carries.send(*texts)
        return numbers

    def _hear(self, seconds: float) -> None:
        if seconds <= 0:
            raise TimeoutError
        for text in self._carries.receive(seconds):
            message = self._reads.decode(whole(text))
            if message.id in self._unneeded:
                self._unneeded.discard(message.id)
            elif message.id:
                self._answers[message.id] = message
            else:
                for heard in self._listening:
                    heard(Event(message.method, message.session, message.params))

    def _answer(self, into: type[T], method: str, number: int) -> T | No:
        message = self._answers.pop(number)
        if isinstance(message.error, str):
            return No(method, message.message, message.error)
        if message.error is not None:
            return No(method, message.error.message)
        return msgspec.json.decode(message.result, type=into)


def whole(text: bytes) -> bytes:
    """Return a message in which halves of character pairs, which no text can hold, are replaced."""
    if _HALF.search(text) is None:
        return text
    return re.sub(
        "[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", json.dumps(json.loads(text), ensure_ascii=False)
    ).encode()


WIRE = "sayso.providers.browser.remote.websocket"


def wire(host: str, port: int, path: str) -> Carries:
    """Return a connection. Raises `Lost`, and `SetupError` where the library is not installed."""
    return cast("Callable[[str, int, str], Carries]", _load("Wire"))(host, port, path)


def fetch_targets(host: str, port: int, path: str) -> bytes:
    """Return what a browser's own list says. Raises `Lost`."""
    return cast("Callable[[str, int, str], bytes]", _load("fetch"))(host, port, path)


def probe(host: str, port: int) -> None:
    """Connect, hear one word, and go."""
    cast("Callable[[str, int], None]", _load("probe"))(host, port)


def must_be_there() -> None:
    """Raise `SetupError` where the library is not installed; a browser that is started could not be spoken to."""
    _load("Wire")


def _load(what: str) -> object:
    try:
        return load(f"{WIRE}:{what}")
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"a browser is spoken to with {missing.name}, which is not installed; pip install 'sayso[browser]'",
            "browser.extra",
        ) from missing
