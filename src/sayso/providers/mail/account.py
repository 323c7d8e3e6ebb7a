"""The account in `[mail]`: the servers that mail is read from and handed to, and where the password lies."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Literal

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.keyring import KeyringEntry, password_of, variable

ConnectionProtection = Literal["tls", "starttls", "plain", "loopback"]
"""How the connection is protected; `loopback`: STARTTLS where it is offered, on this very machine only."""
SignIn = Literal["password", "xoauth2", "oauthbearer"]
TLS_PORT, PLAIN_PORT = 993, 143
VARIABLE = variable("mail")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PROTECTIONS: dict[str, ConnectionProtection] = {
    "tls": "tls",
    "ssl": "tls",
    "starttls": "starttls",
    "plain": "plain",
    "none": "plain",
}
_SIGN_INS: dict[str, SignIn] = {
    "": "password",
    "password": "password",
    "plain": "password",
    "login": "password",
    "xoauth2": "xoauth2",
    "oauthbearer": "oauthbearer",
    "oauth2": "xoauth2",
}


class ImapAccount(Struct, frozen=True):
    """One account on an IMAP server."""

    host: str
    port: int
    user: str
    protection: ConnectionProtection
    way: SignIn
    certificates: str = ""
    """A file of certificates that are trusted beside the system's (`SSL_CERT_FILE`)."""
    seconds: float = 0.0
    """How long each answer may take; 0 for what is usual."""

    @property
    def named(self) -> str:
        """Return what errors call the server."""
        return f"{self.host}:{self.port}"


def account_of(context: BackendContext) -> ImapAccount:
    """Read the account from `[mail]`. Raises `SetupError` that names what is missing."""
    settings = context.settings
    host, user = str(settings.get("host") or ""), str(settings.get("user") or settings.get("address") or "")
    if not host or not user:
        missing = "host" if not host else "user"
        raise SetupError(
            f"mail on IMAP needs “{missing}” in [mail]; “sayso config mail” asks for all that it needs", "mail.settings"
        )
    way = _SIGN_INS.get(str(settings.get("auth") or "").lower())
    if way is None:
        raise SetupError(
            f"mail.auth is “{settings.get('auth')}”; it is one of password, xoauth2, oauthbearer", "mail.settings"
        )
    port = settings.get("port")
    number = port if isinstance(port, int) else None
    protection = _protection(settings.get("tls"), number, host)
    usual = TLS_PORT if protection == "tls" else PLAIN_PORT
    return ImapAccount(host, number or usual, user, protection, way, str(context.environ.get("SSL_CERT_FILE") or ""))


def _protection(tls: object, port: int | None, host: str) -> ConnectionProtection:
    if tls is False:
        return "plain"
    if tls is True:
        return "starttls" if port == PLAIN_PORT else "tls"
    if tls:
        protection = _PROTECTIONS.get(str(tls).lower())
        if protection is None:
            raise SetupError(f"mail.tls is “{tls}”; it is true, false, or “starttls”", "mail.settings")
        return protection
    if host in _LOOPBACK and port not in {None, TLS_PORT}:
        return "loopback"
    return "starttls" if port == PLAIN_PORT else "tls"


async def secret_of(context: BackendContext) -> str:
    """Return the password or token. Raises `SetupError` where there is none; it says which ways there are."""
    return (await password_of(context, entry_of(context.settings))).password


def entry_of(settings: Mapping[str, Json]) -> KeyringEntry:
    """Return where the keyring has the password of `[mail]`: one for reading and sending."""
    host, user = settings.get("host") or settings.get("smtp_host"), settings.get("user") or settings.get("address")
    return KeyringEntry("mail", str(host or ""), str(user or ""))


Protection = Literal["tls", "starttls", "none"]
SMTPS_PORT, SUBMISSION_PORT = 465, 587
ANSWER_SECONDS, LAST_SECONDS = 60.0, 300.0
NOT_SET = (
    "mail cannot be sent yet: a server that takes it or your address is not set (mail.smtp_host, mail.address); "
    "“sayso config mail” asks for both"
)
_SMTP_PROTECTIONS: Mapping[str, Protection] = {"tls": "tls", "implicit": "tls", "starttls": "starttls", "none": "none"}


class SmtpServer(Struct, frozen=True):
    """An SMTP server, how the way to it is protected, and who signs in there; nobody where `user` is empty."""

    host: str
    port: int
    protection: Protection
    user: str = ""
    by_token: bool = False
    """What is asked for is a token (XOAUTH2) and no password."""
    seconds: float = ANSWER_SECONDS
    """How long each answer may take."""
    last_seconds: float = LAST_SECONDS
    """How long the answer to a whole message may take; servers look at what is in it first."""


def read_server(settings: Mapping[str, Json]) -> SmtpServer:
    """Return the server of `[mail]`. Raises `SetupError` where none is set, or none that can be."""
    host = str(settings.get("smtp_host") or "")
    if not host or not settings.get("address"):
        raise SetupError(NOT_SET, "mail.smtp_missing")
    port = settings.get("smtp_port")
    protection = _smtp_protection(settings.get("tls"), host, port)
    number = port if isinstance(port, int) else SMTPS_PORT if protection == "tls" else SUBMISSION_PORT
    by_token = "oauth" in str(settings.get("auth") or "").lower()
    return SmtpServer(host, number, protection, str(settings.get("user") or ""), by_token)


def is_here(host: str) -> bool:
    """Say whether a server is this very machine, so that nobody can listen on the way."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _smtp_protection(tls: Json, host: str, port: Json) -> Protection:
    if tls is False:
        return "none"
    if isinstance(tls, str) and tls:
        if tls.lower() not in _SMTP_PROTECTIONS:
            raise SetupError(f"“tls” in [mail] must be “tls”, “starttls” or “none”; found “{tls[:40]}”", "config.value")
        return _SMTP_PROTECTIONS[tls.lower()]
    if port in {SMTPS_PORT, None}:
        return "tls"
    return "none" if tls is None and is_here(host) else "starttls"
