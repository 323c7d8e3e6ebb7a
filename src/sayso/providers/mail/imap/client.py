"""One connection to an IMAP server, encrypted before a password is sent, and the IMAP commands that sayso uses."""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from imaplib import IMAP4

from imapclient import IMAPClient, SocketTimeout
from imapclient.imap_utf7 import decode
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.accounts.errors import why_not_believed, why_not_let_in, why_not_reached
from sayso.providers.mail.account import ImapAccount

_MOST_UIDS = 1_000_000
"""The most UIDs in one range; a longer one can only come from a faulty server."""
_LONGEST_SET = 7000
"""The most characters of a list of UIDs in one command; some servers refuse lines of 8,192 characters."""


def sets(uids: Sequence[int]) -> Iterator[str]:
    """Yield UIDs as sets (`1:3,7`), each short enough for one line."""
    parts: list[str] = []
    for first, last in _runs(sorted(set(uids))):
        part = str(first) if first == last else f"{first}:{last}"
        if parts and sum(map(len, parts)) + len(parts) + len(part) > _LONGEST_SET:
            yield ",".join(parts)
            parts = []
        parts.append(part)
    if parts:
        yield ",".join(parts)


def numbers(uids: str) -> list[int]:
    """Return the UIDs of a set such as `1:3,7`, in the order of the set."""
    found: list[int] = []
    for part in uids.split(","):
        first, _, last = part.partition(":")
        if not (first.isdecimal() and (last or first).isdecimal()):
            raise IMAP4.error("a list of UIDs cannot be read")
        low, high = sorted((int(first), int(last or first)))
        if high - low > _MOST_UIDS:
            raise IMAP4.error("a list of UIDs is too long")
        found += range(low, high + 1)
    return found


def _runs(uids: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = last = None
    for uid in uids:
        if start is None or last is None or uid != last + 1:
            if start is not None and last is not None:
                yield start, last
            start = uid
        last = uid
    if start is not None and last is not None:
        yield start, last


CONNECT, READ = 15.0, 90.0
"""Seconds to wait for a connection, and for an answer."""
LOST = (IMAP4.abort, OSError, ssl.SSLError, EOFError)
"""The exceptions that mean the connection is lost."""
_COUNT = re.compile(rb'(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<name>[^\s"]+)) \(MESSAGES (?P<count>\d+)\)\s*')
_ESCAPED = re.compile(rb"\\(.)")


class SearchText(bytes):
    """A text in a search key, sent as a literal (its length, then its bytes) or as a quoted string."""


Key = Sequence[bytes]
"""A search key: the words of the command, which are sent unchanged, and `SearchText`s, which are encoded."""


class OpenMailbox(Struct, frozen=True):
    """The mailbox that is open, and the server's answer when it was opened."""

    name: str
    writing: bool
    data: Mapping[bytes, object]


class ImapSession(IMAPClient):
    """A connection that uses UIDs for all messages, and keeps the time zones of times."""

    def __init__(self, account: ImapAccount, context: ssl.SSLContext) -> None:
        super().__init__(
            account.host,
            account.port,
            ssl=account.protection == "tls",
            ssl_context=context,
            timeout=SocketTimeout(account.seconds or CONNECT, account.seconds or READ),
        )
        self.normalise_times = False
        # A command is sent in pieces. TCP_NODELAY sends each at once, before the previous one is acknowledged.
        self._imap.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._imap.debug = 0  # never log the traffic, which holds the password and mails
        self._selected: OpenMailbox | None = None

    @property
    def open_name(self) -> str:
        """Return the server's name for the mailbox that is open; empty if none is."""
        return self._selected.name if self._selected else ""

    def select_mailbox(self, name: str, *, writing: bool) -> Mapping[bytes, object]:
        """Open a mailbox and return the server's answer; if it is open already, only ask the server what has changed.

        Some servers need a second to open a large mailbox, and another to read the first message from it.
        """
        selected, self._selected = self._selected, None
        if selected is not None and selected.name == name and selected.writing >= writing:
            exists = self._count_again(selected.data.get(b"EXISTS"))
            if exists is not None:
                self._selected = replace(selected, data={**selected.data, b"EXISTS": exists})
                return self._selected.data
        data: Mapping[bytes, object] = self.select_folder(name, readonly=not writing)
        for word in ("EXISTS", "EXPUNGE", "FLAGS"):
            self.code(word)
        self._selected = OpenMailbox(name, writing, data)
        return data

    def _count_again(self, known: object) -> int | None:
        """Return the number of messages in the open mailbox; None if it must be opened again to find out."""
        try:
            self.noop()
        except IMAP4.abort:
            raise
        except IMAP4.error:
            return None
        _, gone = self._imap.response("EXPUNGE")
        more, words = self.code("EXISTS"), self.code("FLAGS")
        removed = sum(one is not None for one in gone or [])
        if words is not None or (more and removed) or not isinstance(known, int):
            return None
        return int(more) if more else known - removed

    def message_counts(self) -> Mapping[str, int]:
        """Return the number of messages in each mailbox; empty if the server cannot list all at once (RFC 5819)."""
        if not self.has_capability("LIST-STATUS"):
            return {}
        self.code("STATUS")
        data = [b'""', b'"*"', b"RETURN", b"(STATUS", b"(MESSAGES))"]
        answer = self._raw_command_untagged(b"LIST", data, "STATUS", uid=False)
        self.code("LIST")
        found = (_COUNT.fullmatch(one) for one in answer if isinstance(one, bytes))
        return {
            decode(re.sub(rb"\\(.)", rb"\1", one["quoted"] or one["name"])): int(one["count"]) for one in found if one
        }

    def search_uids(self, key: Key, *, newest: bool = False) -> list[int]:
        """Return the UIDs that a search finds; with `newest`, the server sorts them, latest arrival first."""
        charset = b"US-ASCII" if all(part.isascii() for part in key) else b"UTF-8"
        words = [self._encode_word(part) for part in key]
        if newest:
            return _numbers(self._raw_command_untagged(b"SORT", [b"(REVERSE ARRIVAL)", charset, *words]))
        named = [b"CHARSET", charset] if charset == b"UTF-8" else []
        return _numbers(self._raw_command_untagged(b"SEARCH", [*named, *words]))

    def _encode_word(self, part: bytes) -> bytes:
        if not isinstance(part, SearchText) or not part.isascii():
            return bytes(part)  # the library sends text that is not ASCII as a literal
        if self.has_capability("LITERAL+"):
            return b"{%d+}\r\n%b" % (len(part), part)
        return b'"' + part.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'

    def code(self, name: str) -> bytes | None:
        """Return the latest value of a response code such as COPYUID since the last call for it, or None."""
        _, data = self._imap.response(name)
        return next((one for one in reversed(data or []) if one is not None), None)

    def store_unless_changed(self, uids: str, modseq: int, how: str, flags: str) -> str:
        """Change the flags of the messages unchanged since `modseq`; return the UIDs of the others (RFC 7162)."""
        self.code("MODIFIED")
        typ, _ = self._imap.uid("STORE", uids, f"(UNCHANGEDSINCE {modseq})", how, flags)
        if typ not in {"OK", "NO"}:
            raise IMAP4.error("STORE was not understood")
        return (self.code("MODIFIED") or b"").decode("ascii", "replace")


def connect(account: ImapAccount, secret: str) -> ImapSession:
    """Return a signed-in connection.

    Raises `SetupError` if the settings or the password must be changed, and `ProviderError` if the server cannot be
    reached.
    """
    session = _open_connection(account)
    try:
        _protect(session, account)
        _sign_in(session, account, secret)
    except BaseException:
        close_connection(session)
        raise
    return session


def close_connection(session: ImapSession) -> None:
    """Close a connection, whatever state it is in."""
    try:
        session.shutdown()
    except (*LOST, IMAP4.error):
        return


def _open_connection(account: ImapAccount) -> ImapSession:
    try:
        return ImapSession(account, _context(account))
    except ssl.SSLError as error:
        raise _tls(account, error) from None
    except (OSError, IMAP4.error) as error:
        system = str(getattr(error, "strerror", None) or "it does not answer as a mail server")
        why = why_not_reached(error, account.host) or system
        raise ProviderError(f"the mail server {account.named} cannot be reached: {why}", "mail.unreachable") from None


def _context(account: ImapAccount) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if account.certificates:
        context.load_verify_locations(account.certificates)
    return context


def _protect(session: ImapSession, account: ImapAccount) -> None:
    if account.protection in {"tls", "plain"}:
        return
    offered = session.has_capability("STARTTLS")
    if not offered and account.protection == "loopback":
        return
    if not offered:
        raise SetupError(
            f"the mail server {account.named} offers no STARTTLS, so no password was sent; "
            "set mail.tls to true and mail.port to 993 if it speaks TLS there; "
            "with mail.tls set to false, everything would be sent unencrypted",
            "mail.tls",
        )
    try:
        session.starttls(_context(account))
    except ssl.SSLError as error:
        raise _tls(account, error) from None
    except (OSError, IMAP4.error):
        raise ProviderError(f"the mail server {account.named} ended the connection", "mail.unreachable") from None


def _tls(account: ImapAccount, error: ssl.SSLError) -> SetupError:
    why = why_not_believed(error, account.host)
    if not why:
        return SetupError(
            f"the mail server {account.named} does not speak TLS as it should, so no password was sent; "
            "look at mail.port and mail.tls",
            "mail.tls",
        )
    return SetupError(
        f"the mail server {account.named} could not prove that it is {account.host}, and no password was sent: {why}",
        "mail.tls",
    )


def _sign_in(session: ImapSession, account: ImapAccount, secret: str) -> None:
    try:
        match account.way:
            case "xoauth2":
                session.oauth2_login(account.user, secret)
            case "oauthbearer":
                session.oauthbearer_login(account.user, secret)
            case _ if session.has_capability("AUTH=PLAIN"):
                session.plain_login(account.user, secret)
            case _:
                session.login(account.user, secret)
    except LOST:
        raise ProviderError(f"the mail server {account.named} ended the connection", "mail.unreachable") from None
    except IMAP4.error as no:
        why = why_not_let_in(str(no), by_token=account.way != "password")
        raise SetupError(
            f"the mail server {account.named} did not let {account.user} in: {why}", "mail.login"
        ) from None


def _numbers(data: Sequence[bytes | None]) -> list[int]:
    answer = b" ".join(one for one in data if one)
    return [int(word) for word in answer.partition(b"(")[0].split()]
