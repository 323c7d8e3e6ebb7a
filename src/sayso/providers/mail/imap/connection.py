"""The connection of an account: opened when it is needed, opened again when it was cut, used by one at a time."""

import threading
from collections.abc import Callable
from imaplib import IMAP4
from typing import TypeVar

from anyio import to_thread

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.ports import Ground
from sayso.providers.mail.imap.client import LOST, Wire, account_of, closed, connected, secret_of
from sayso.providers.mail.imap.idle import Watch
from sayso.providers.mail.imap.mailboxes import Boxes, boxes_of

T = TypeVar("T")
C = TypeVar("C")


class Line:
    """A connection that is kept between exchanges."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._secret = ""
        self._wire: Wire | None = None
        self._boxes: Boxes | None = None
        self._lock = threading.Lock()

    async def asks(self, question: Callable[[Wire, Boxes], T]) -> T:
        """Ask what changes nothing; after a cut it is asked once more, on a new connection."""
        await self._with_secret()
        return await to_thread.run_sync(lambda: self._locked(lambda: self._asked(question)))

    async def does(self, checks: Callable[[Wire, Boxes], C], deed: Callable[[Wire, C], T]) -> T:
        """Check, which changes nothing, and then do, which is never tried again.

        Raises `ProviderError` when nothing was done, `Uncertain` when the connection was cut during the deed.
        """
        await self._with_secret()

        def both() -> T:
            checked = self._asked(checks)
            wire, _ = self._open()
            try:
                return deed(wire, checked)
            except LOST:
                self.close()
                raise Uncertain("the connection to the mail server was cut in the middle", "mail.cut") from None
            except IMAP4.error as wrong:
                raise ProviderError(f"the mail server said no: {_said(wrong)}", "mail.refused") from None

        return await to_thread.run_sync(lambda: self._locked(both))

    async def watch(self) -> Watch:
        """Return what waits for new mail, on a connection of its own."""
        await self._with_secret()
        return Watch(account_of(self._ground), self._secret)

    def close(self) -> None:
        """Let go of the connection; the next exchange opens a new one."""
        wire, self._wire, self._boxes = self._wire, None, None
        if wire is not None:
            closed(wire)

    async def _with_secret(self) -> None:
        if not self._secret:
            self._secret = await secret_of(self._ground)

    def _locked(self, work: Callable[[], T]) -> T:
        with self._lock:
            return work()

    def _asked(self, question: Callable[[Wire, Boxes], T]) -> T:
        fresh = self._wire is None
        try:
            return self._told(question)
        except LOST:
            self.close()
            if fresh:
                raise _gone() from None
        try:
            return self._told(question)
        except LOST:
            self.close()
            raise _gone() from None

    def _told(self, question: Callable[[Wire, Boxes], T]) -> T:
        wire, boxes = self._open()
        try:
            return question(wire, boxes)
        except IMAP4.abort:
            raise
        except IMAP4.error as wrong:
            raise ProviderError(f"the mail server said no: {_said(wrong)}", "mail.refused") from None

    def _open(self) -> tuple[Wire, Boxes]:
        if self._wire is None or self._boxes is None:
            account = account_of(self._ground)
            self._wire = connected(account, self._secret)
            self._boxes = boxes_of(self._wire)
        return self._wire, self._boxes


def _gone() -> ProviderError:
    return ProviderError("the mail server ended the connection; nothing was changed", "mail.unreachable")


def _said(wrong: Exception) -> str:
    return "".join(letter for letter in str(wrong)[:200] if letter.isprintable())
