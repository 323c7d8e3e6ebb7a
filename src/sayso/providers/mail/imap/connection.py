"""The connection of a mail account: opened when needed, opened again when cut, and waiting for new mail."""

import threading
import time
from collections.abc import Callable
from imaplib import IMAP4
from typing import TypeVar

from anyio import to_thread

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.ports import BackendContext
from sayso.providers.mail.account import ImapAccount, account_of, secret_of
from sayso.providers.mail.imap.client import LOST, ImapSession, close_connection, connect
from sayso.providers.mail.imap.mailboxes import Mailboxes, list_mailboxes

BETWEEN = 30.0
"""Seconds between two checks of a server that has no IDLE."""
AGAIN = 600.0
"""Seconds after which IDLE is renewed; after half an hour a server may end the connection."""


class MailWatch:
    """A second connection to an account, used only to wait for mail in the inbox."""

    def __init__(self, account: ImapAccount, secret: str) -> None:
        self._account = account
        self._secret = secret
        self._wire: ImapSession | None = None
        self._known = 0

    def begin(self) -> None:
        """Remember how much mail there is. Raises `ProviderError` or `SetupError` if the server cannot be reached."""
        self._known = self._next()

    def came(self, seconds: float) -> bool:
        """Say whether mail came since the last call; wait for it, up to so many seconds.

        A connection that was cut is opened again; what came meanwhile is seen by its number.
        """
        try:
            if self._new():
                return True
            self._listen(min(seconds, AGAIN))
            return self._new()
        except (*LOST, IMAP4.error):
            self.close()
            return False

    def close(self) -> None:
        """Let go of the connection."""
        session, self._wire = self._wire, None
        if session is not None:
            close_connection(session)

    def _new(self) -> bool:
        number = self._next()
        came, self._known = number > self._known, number
        return came

    def _next(self) -> int:
        """Return the number that the next mail will get."""
        try:
            session = self._open()
            session.noop()
            return session.folder_status("INBOX", ["UIDNEXT"]).get(b"UIDNEXT", 0)
        except (*LOST, IMAP4.error):
            self.close()
        try:
            return self._open().folder_status("INBOX", ["UIDNEXT"]).get(b"UIDNEXT", 0)
        except (*LOST, IMAP4.error):
            self.close()
            raise ProviderError("the mail server ended the connection", "mail.unreachable") from None

    def _listen(self, seconds: float) -> None:
        session = self._open()
        if not session.has_capability("IDLE"):
            time.sleep(min(seconds, BETWEEN))
            return
        session.select_folder("INBOX", readonly=True)
        session.idle()
        try:
            session.idle_check(timeout=seconds)
        finally:
            session.idle_done()
        session.unselect_folder()

    def _open(self) -> ImapSession:
        if self._wire is None:
            self._wire = connect(self._account, self._secret)
        return self._wire


T = TypeVar("T")
C = TypeVar("C")


class ImapConnection:
    """A connection that is kept between exchanges."""

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._secret = ""
        self._wire: ImapSession | None = None
        self._boxes: Mailboxes | None = None
        self._lock = threading.Lock()

    async def read(self, question: Callable[[ImapSession, Mailboxes], T]) -> T:
        """Read, which changes nothing; after a cut the question is asked once more, on a new connection."""
        await self._with_secret()
        return await to_thread.run_sync(lambda: self._run_locked(lambda: self._ask_server(question)))

    async def change(self, checks: Callable[[ImapSession, Mailboxes], C], deed: Callable[[ImapSession, C], T]) -> T:
        """Check, which changes nothing, and then act, which is never tried again.

        Raises `ProviderError` when nothing was done, `Uncertain` when the connection was cut while acting.
        """
        await self._with_secret()

        def both() -> T:
            checked = self._ask_server(checks)
            session, _ = self._open()
            try:
                return deed(session, checked)
            except LOST:
                self.close()
                raise Uncertain("the connection to the mail server was cut in the middle", "mail.cut") from None
            except IMAP4.error as error:
                raise ProviderError(f"the mail server said no: {_describe_error(error)}", "mail.refused") from None

        return await to_thread.run_sync(lambda: self._run_locked(both))

    async def watch(self) -> MailWatch:
        """Return what waits for new mail, on a connection of its own."""
        await self._with_secret()
        return MailWatch(account_of(self._context), self._secret)

    def close(self) -> None:
        """Let go of the connection; the next exchange opens a new one."""
        session, self._wire, self._boxes = self._wire, None, None
        if session is not None:
            close_connection(session)

    async def _with_secret(self) -> None:
        if not self._secret:
            self._secret = await secret_of(self._context)

    def _run_locked(self, work: Callable[[], T]) -> T:
        with self._lock:
            return work()

    def _ask_server(self, question: Callable[[ImapSession, Mailboxes], T]) -> T:
        fresh = self._wire is None
        try:
            return self._ask_once(question)
        except LOST:
            self.close()
            if fresh:
                raise _connection_lost() from None
        try:
            return self._ask_once(question)
        except LOST:
            self.close()
            raise _connection_lost() from None

    def _ask_once(self, question: Callable[[ImapSession, Mailboxes], T]) -> T:
        session, boxes = self._open()
        try:
            return question(session, boxes)
        except IMAP4.abort:
            raise
        except IMAP4.error as error:
            raise ProviderError(f"the mail server said no: {_describe_error(error)}", "mail.refused") from None

    def _open(self) -> tuple[ImapSession, Mailboxes]:
        if self._wire is None or self._boxes is None:
            account = account_of(self._context)
            self._wire = connect(account, self._secret)
            self._boxes = list_mailboxes(self._wire)
        return self._wire, self._boxes


def _connection_lost() -> ProviderError:
    return ProviderError("the mail server ended the connection; nothing was changed", "mail.unreachable")


def _describe_error(error: Exception) -> str:
    return "".join(letter for letter in str(error)[:200] if letter.isprintable())
