"""The connection of a mail account: opened when it is needed, and opened again when it was cut."""

import threading
from collections.abc import Callable
from imaplib import IMAP4
from typing import TypeVar

from anyio import to_thread

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.ports import BackendContext
from sayso.providers.mail.account import account_of, secret_of
from sayso.providers.mail.imap.client import LOST, ImapSession, close_connection, connect
from sayso.providers.mail.imap.mailboxes import Mailboxes, list_mailboxes

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
