"""Which account it is and how it is reached, read from the settings; the password is asked for only when needed."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.keyring import Entry, password_of, variable

Guard = Literal["tls", "starttls", "plain", "loopback"]
"""How the connection is protected; `loopback`: STARTTLS where it is offered, on this very machine only."""
Way = Literal["password", "xoauth2", "oauthbearer"]
TLS_PORT, PLAIN_PORT = 993, 143
VARIABLE = variable("mail")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_GUARDS: dict[str, Guard] = {"tls": "tls", "ssl": "tls", "starttls": "starttls", "plain": "plain", "none": "plain"}
_WAYS: dict[str, Way] = {
    "": "password",
    "password": "password",
    "plain": "password",
    "login": "password",
    "xoauth2": "xoauth2",
    "oauthbearer": "oauthbearer",
    "oauth2": "xoauth2",
}


class Account(Struct, frozen=True):
    """One account on one server."""

    host: str
    port: int
    user: str
    guard: Guard
    way: Way
    certificates: str = ""
    """A file of certificates that are trusted beside the system's (`SSL_CERT_FILE`)."""
    seconds: float = 0.0
    """How long each answer may take; 0 for what is usual."""

    @property
    def named(self) -> str:
        """Return what errors call the server."""
        return f"{self.host}:{self.port}"


def account_of(ground: BackendContext) -> Account:
    """Read the account from `[mail]`. Raises `SetupError` that names what is missing."""
    settings = ground.settings
    host, user = str(settings.get("host") or ""), str(settings.get("user") or settings.get("address") or "")
    if not host or not user:
        missing = "host" if not host else "user"
        raise SetupError(
            f"mail on IMAP needs “{missing}” in [mail]; “sayso config mail” asks for all that it needs", "mail.settings"
        )
    way = _WAYS.get(str(settings.get("auth") or "").lower())
    if way is None:
        raise SetupError(
            f"mail.auth is “{settings.get('auth')}”; it is one of password, xoauth2, oauthbearer", "mail.settings"
        )
    port = settings.get("port")
    number = port if isinstance(port, int) else None
    guard = _guard(settings.get("tls"), number, host)
    usual = TLS_PORT if guard == "tls" else PLAIN_PORT
    return Account(host, number or usual, user, guard, way, str(ground.environ.get("SSL_CERT_FILE") or ""))


def _guard(tls: object, port: int | None, host: str) -> Guard:
    if tls is False:
        return "plain"
    if tls is True:
        return "starttls" if port == PLAIN_PORT else "tls"
    if tls:
        guard = _GUARDS.get(str(tls).lower())
        if guard is None:
            raise SetupError(f"mail.tls is “{tls}”; it is true, false, or “starttls”", "mail.settings")
        return guard
    if host in _LOOPBACK and port not in {None, TLS_PORT}:
        return "loopback"
    return "starttls" if port == PLAIN_PORT else "tls"


async def secret_of(ground: BackendContext) -> str:
    """Return the password or token. Raises `SetupError` where there is none; it says which ways there are."""
    return (await password_of(ground, entry_of(ground.settings))).password


def entry_of(settings: Mapping[str, Json]) -> Entry:
    """Return where the keyring has the password of `[mail]`: one for reading and sending."""
    host, user = settings.get("host") or settings.get("smtp_host"), settings.get("user") or settings.get("address")
    return Entry("mail", str(host or ""), str(user or ""))
