"""The connection of a mail account, which is opened again after it was lost, and the mailboxes of the server."""

import threading
from collections.abc import Callable
from imaplib import IMAP4
from typing import TypeVar

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.ports import BackendContext
from sayso.core.quotes import quoted
from sayso.providers.mail.account import account_of, secret_of
from sayso.providers.mail.imap.client import LOST, ImapSession, close_connection, connect
from sayso.providers.mail.store import HIDDEN, Role

_SPECIAL: dict[bytes, Role] = {
    rb"\archive": "archive",
    rb"\sent": "sent",
    rb"\trash": "trash",
    rb"\drafts": "drafts",
    rb"\junk": "junk",
}
_USUAL: dict[Role, tuple[str, ...]] = {
    "archive": ("archive", "archives"),
    "sent": ("sent", "sent items", "sent messages", "sent mail"),
    "trash": ("trash", "deleted items", "deleted messages", "bin"),
    "drafts": ("drafts", "draft"),
    "junk": ("junk", "spam", "junk e-mail", "bulk mail"),
}
_NO_MAIL = frozenset({rb"\noselect", rb"\nonexistent"})


class Mailboxes(Struct, frozen=True):
    """The mailboxes when the connection was opened. `names` maps each to its name on the server, the inbox first."""

    names: dict[str, str]
    prefix: str = ""
    everything: str = ""
    """The mailbox that shows all mail of the account; empty if the server has none."""

    def name(self, mailbox: str) -> str:
        """Return the server's name for a mailbox. Raises `ProviderError` if the server does not have it."""
        if mailbox not in self.names:
            raise ProviderError(f"there is no mailbox {quoted(mailbox)} any more; nothing was done", "world.changed")
        return self.names[mailbox]

    def make(self, session: ImapSession, mailbox: str) -> str:
        """Return the server's name for a mailbox. If it has a `Role` and is missing, create it."""
        role = next((role for role in _USUAL if role == mailbox), None)
        if mailbox in self.names or role is None:
            return self.name(mailbox)
        name = f"{self.prefix}{role.capitalize()}"
        session.create_folder(name)
        try:
            session.subscribe_folder(name)
        except IMAP4.abort:
            raise
        except IMAP4.error:
            pass  # the mailbox exists even if it cannot be subscribed
        self.names[mailbox] = name
        return name

    def mailboxes_to_search(self) -> list[str]:
        """Return the mailboxes to search, so that each message is found in one of them."""
        if self.everything:
            return ["inbox", *([] if self.everything == "inbox" else [self.everything])]
        return [mailbox for mailbox in self.names if mailbox not in HIDDEN]


def list_mailboxes(session: ImapSession) -> Mailboxes:
    """Return the mailboxes that the server lists."""
    listed = [(flags, name) for flags, _, name in session.list_folders() if _fit(flags, name)]
    lowered = [({flag.lower() for flag in flags}, name) for flags, name in listed]
    names = {"inbox": next((name for _, name in lowered if name.upper() == "INBOX"), "INBOX")}
    for flags, name in lowered:
        role = next((role for flag, role in _SPECIAL.items() if flag in flags), None)
        if role is not None:
            names.setdefault(role, name)
    everything = next((name for flags, name in lowered if rb"\all" in flags), "")
    if everything and "archive" not in names:
        names["archive"] = everything
    for role, usual in _USUAL.items():
        named = next((name for _, name in lowered if name.replace(".", "/").rpartition("/")[2].lower() in usual), None)
        if named is not None and named not in names.values():
            names.setdefault(role, named)
    known = set(names.values())
    names.update((name, name) for _, name in lowered if name not in known and name not in names)
    mailbox = next((mailbox for mailbox, name in names.items() if name == everything), "") if everything else ""
    return Mailboxes(names, _prefix(session), mailbox)


def _fit(flags: tuple[bytes, ...], name: str) -> bool:
    # A name with a line break in it could add a command to the connection (ML-07).
    return name.isprintable() and not _NO_MAIL & {flag.lower() for flag in flags}


def _prefix(session: ImapSession) -> str:
    if not session.has_capability("NAMESPACE"):
        return ""
    personal = session.namespace()[0]
    prefix = personal[0][0] if personal else ""
    return prefix if prefix.isprintable() else ""


T = TypeVar("T")
C = TypeVar("C")


class ImapConnection:
    """A connection that is kept open between calls."""

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._secret = ""
        self._wire: ImapSession | None = None
        self._boxes: Mailboxes | None = None
        self._lock = threading.Lock()

    async def read(self, question: Callable[[ImapSession, Mailboxes], T]) -> T:
        """Call `question`, which only reads. If the connection was lost, call it once more on a new one."""
        await self._with_secret()
        return await to_thread.run_sync(lambda: self._run_locked(lambda: self._ask_server(question)))

    async def change(self, checks: Callable[[ImapSession, Mailboxes], C], deed: Callable[[ImapSession, C], T]) -> T:
        """Call `checks`, which only reads, and then `deed` with its result. `deed` is never repeated.

        Raises `ProviderError` if the server cannot be reached or refuses a command, and `Uncertain` if the connection
        was lost during `deed`.
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
        """Close the connection; the next call opens a new one."""
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
