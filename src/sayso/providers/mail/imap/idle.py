"""Wait for new mail: the server says so (IDLE), or is asked now and then where it cannot."""

import time
from imaplib import IMAP4

from sayso.core.errors import ProviderError
from sayso.providers.mail.imap.client import LOST, Account, Wire, closed, connected

BETWEEN = 30.0
"""Seconds between two questions to a server that cannot say so itself."""
AGAIN = 600.0
"""Seconds after which a server is told anew that somebody waits; after half an hour it may end the connection."""


class Watch:
    """One more connection to an account, on which nothing is done but waiting for mail in the inbox."""

    def __init__(self, account: Account, secret: str) -> None:
        self._account = account
        self._secret = secret
        self._wire: Wire | None = None
        self._known = 0

    def begin(self) -> None:
        """Remember what is there now. Raises `ProviderError` or `SetupError` where the server cannot be reached."""
        self._known = self._next()

    def came(self, seconds: float) -> bool:
        """Say whether mail came since it was last said; wait for it, up to so many seconds.

        A connection that was cut is opened again; what came meanwhile is seen by its number.
        """
        try:
            if self._new():
                return True
            self._listened(min(seconds, AGAIN))
            return self._new()
        except (*LOST, IMAP4.error):
            self.close()
            return False

    def close(self) -> None:
        """Let go of the connection."""
        wire, self._wire = self._wire, None
        if wire is not None:
            closed(wire)

    def _new(self) -> bool:
        number = self._next()
        came, self._known = number > self._known, number
        return came

    def _next(self) -> int:
        """Return the number that the next mail will get."""
        try:
            wire = self._open()
            wire.noop()
            return wire.folder_status("INBOX", ["UIDNEXT"]).get(b"UIDNEXT", 0)
        except (*LOST, IMAP4.error):
            self.close()
        try:
            return self._open().folder_status("INBOX", ["UIDNEXT"]).get(b"UIDNEXT", 0)
        except (*LOST, IMAP4.error):
            self.close()
            raise ProviderError("the mail server ended the connection", "mail.unreachable") from None

    def _listened(self, seconds: float) -> None:
        wire = self._open()
        if not wire.has_capability("IDLE"):
            time.sleep(min(seconds, BETWEEN))
            return
        wire.select_folder("INBOX", readonly=True)
        wire.idle()
        try:
            wire.idle_check(timeout=seconds)
        finally:
            wire.idle_done()
        wire.unselect_folder()

    def _open(self) -> Wire:
        if self._wire is None:
            self._wire = connected(self._account, self._secret)
        return self._wire
