"""Who may use the page: one invitation, used once, for each browser of the person, and what each browser was shown."""

import hmac
from collections.abc import Callable

from msgspec import Struct

from sayso.core.ports import Clock, Ids

MOST_VISITORS = 50
MOST_SHOWN = 2000
LASTS = 30 * 24 * 3600.0
"""Seconds after which a browser has to be invited anew, if the server runs that long."""


class Visitors:
    """The browsers that were let in since the server began.

    Of this, only the invitation is written anywhere, and only by `tell`.
    """

    def __init__(self, ids: Ids, clock: Clock, tell: Callable[[str], None] | None = None) -> None:
        """With `tell`, there is always an invitation: a new one follows each that was used, and `tell` gets it."""
        self._ids = ids
        self._clock = clock
        self._tell = tell
        self._invitation = ""
        self._since: dict[str, float] = {}

    def invite(self) -> str:
        """Return a token that lets one browser in, once; an earlier one that was not used is void."""
        self._invitation = self._word()
        if self._tell is not None:
            self._tell(self._invitation)
        return self._invitation

    def admit(self, token: str) -> str | None:
        """Return the secret of a new visitor, for its cookie; None if the token is not the invitation."""
        if not self._invitation or not _same(token, self._invitation):
            return None
        self._invitation = ""
        if self._tell is not None:
            self.invite()
        visitor = self._word()
        self._since[visitor] = self._clock.monotonic()
        for oldest in [*self._since][:-MOST_VISITORS]:
            self.dismiss(oldest)
        return visitor

    def known(self, secret: str) -> str | None:
        """Return the visitor with this secret; None if there is none, or none any more."""
        oldest = self._clock.monotonic() - LASTS
        found = [one for one, since in self._since.items() if _same(secret, one) and since >= oldest]
        return found[0] if found else None

    def dismiss(self, visitor: str) -> None:
        """Let a browser in no more."""
        self._since.pop(visitor, None)

    def _word(self) -> str:
        return self._ids.token() + self._ids.token()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


class Shown(Struct, frozen=True):
    """What a visitor was shown: the waiting actions of a run, by the digest of all of them."""

    visitor: str
    run: str
    digest: str


class Nonces:
    """Words that come with what is shown, and with which it can be decided once, by the browser that was shown it."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._of: dict[Shown, str] = {}

    def give(self, shown: Shown) -> str:
        """Return the word for what is shown; it stays the same until it is used."""
        nonce = self._of.pop(shown, None) or self._ids.token()
        self._of[shown] = nonce
        for oldest in [*self._of][:-MOST_SHOWN]:
            del self._of[oldest]
        return nonce

    def take(self, shown: Shown, nonce: str) -> bool:
        """Return whether this is the word for what was shown; it is used up then."""
        known = self._of.get(shown)
        if known is None or not _same(nonce, known):
            return False
        del self._of[shown]
        return True


class Rate:
    """Limits how often something may happen: so many at once, and so many in each second after that."""

    def __init__(self, clock: Clock, at_once: float, each_second: float) -> None:
        self._clock = clock
        self._most = self._left = at_once
        self._each_second = each_second
        self._last = clock.monotonic()

    def allows(self) -> bool:
        """Return whether it may happen once more now, and count it."""
        now = self._clock.monotonic()
        self._left = min(self._most, self._left + (now - self._last) * self._each_second)
        self._last = now
        allowed = self._left >= 1
        self._left -= allowed
        return allowed
