"""Firefox itself: spoken to for as long as something is looked at or done, and then let go of.

It speaks with one at a time. A session that is not ended holds it until it ends itself, so one is begun for each use
and ended after it; what a sayso that was killed left behind is ended by way of Marionette, where that listens.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.ports import Ground
from sayso.providers.browser.bidi import said
from sayso.providers.browser.bidi.known import Notes
from sayso.providers.browser.bidi.session import Connected
from sayso.providers.browser.bidi.turns import Kept, turn
from sayso.providers.browser.bidi.where import KIND, is_own, must_not_be_lived_in
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.calling import Devtools, Lost, No
from sayso.providers.browser.live.where import Endpoint

ASKING = {"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}}
"""Questions of pages wait for the person; while an action goes on, it answers those of its own page."""
BEGIN = 30.0
MARIONETTE = "MarionetteActivePort"
TRIES = 100


class Firefox:
    """One browser. Everything here waits; several threads, and several saysos, take turns."""

    def __init__(self, find: Callable[[], Endpoint], ground: Ground, *, lived_in: bool = False) -> None:
        self._find = find
        self._own = ground.own
        self._home = ground.home
        self._clock = ground.clock
        self._ids = ground.ids
        self._lived_in = lived_in
        self._turn = threading.Lock()

    @contextmanager
    def connected(self) -> Generator[Connected]:
        """Yield the session, for one thread. Raises `ProviderError` where no browser answers, and `SetupError`."""
        at = self._find()
        with self._turn, turn(self._own, f"{at.port}.json", self._clock) as kept:
            now = self._connect(at, kept)
            try:
                yield now
            finally:
                now.end()

    def close(self) -> None:
        """Do nothing: it is let go of after each use."""

    def _connect(self, at: Endpoint, kept: Kept) -> Connected:
        try:
            path = at.path if at.path.strip("/") else "/session"
            calls = Devtools(wires.wire(at.host, at.port, path), self._clock)
        except Lost as no:
            if at.own is not None:
                raise KIND.not_running() from no
            raise ProviderError(f"no browser answers: {no}", "browser.not_running") from no
        try:
            new = self._begun(calls, kept)
        except BaseException:
            calls.close()
            raise
        now = Connected(calls, at, kept, new.profile)
        try:
            self._must_be_meant(at, new.profile)
        except BaseException:
            now.end()
            raise
        return now

    def _begun(self, calls: Devtools, kept: Kept) -> said.Capabilities:
        was_speaking = kept.notes.speaking
        kept.keep(msgspec.structs.replace(kept.notes, speaking=True))
        try:
            new = _new(calls)
        except No as no:
            if not was_speaking:
                kept.keep(msgspec.structs.replace(kept.notes, speaking=False))
                raise _taken() from no
            new = _freed(calls, kept.notes.profile)
        told = new.capabilities
        if (told.process, told.profile) != (kept.notes.process, kept.notes.profile) or not kept.notes.run:
            run = self._ids.token()[:12]
            kept.keep(Notes(run.replace(".", ""), told.process, told.profile, speaking=True))
        return told

    def _must_be_meant(self, at: Endpoint, profile: str) -> None:
        if at.own is not None and not is_own(profile, at.own):
            raise KIND.not_running()
        if at.own is None and not self._lived_in:
            must_not_be_lived_in(profile, self._home)


def _new(calls: Devtools) -> said.New:
    return calls.ask(said.New, "session.new", seconds=BEGIN, capabilities=ASKING)


def _taken() -> ProviderError:
    return ProviderError(
        "another program drives that Firefox, which lets in one at a time; end it, or start Firefox anew",
        "browser.taken",
    )


def _freed(calls: Devtools, profile: str) -> said.New:
    """End a session that a killed sayso left behind: whoever leaves Marionette takes the session along."""
    try:
        port = int(Path(profile, MARIONETTE).read_text("utf-8"))
    except (OSError, ValueError):
        raise _taken() from None
    for _ in range(TRIES):
        wires.touched("127.0.0.1", port)
        with suppress(No):
            return _new(calls)
        calls.wait(lambda: False, 0.05)
    raise _taken()
