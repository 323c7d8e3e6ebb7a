"""The account in `[mail]`: the servers for reading and sending mail, and where its password is stored."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Literal

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.core.quotes import quoted
from sayso.providers.accounts.keyring import KeyringEntry, password_of, variable

ConnectionProtection = Literal["tls", "starttls", "plain", "loopback"]
"""How the connection is protected.

`loopback` is for a server on this machine: STARTTLS is used if the server offers it, and no encryption otherwise.
"""
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
    """A file of certificates to trust in addition to the system's (`SSL_CERT_FILE`)."""
    seconds: float = 0.0
    """The time limit for each answer, in seconds; 0 for the default."""

    @property
    def named(self) -> str:
        """Return the name of the server for error messages."""
        return f"{self.host}:{self.port}"


def account_of(context: BackendContext) -> ImapAccount:
    """Read the account from `[mail]`. Raises `SetupError` if a setting is missing or invalid."""
    settings = context.settings
    host, user = str(settings.get("host") or ""), str(settings.get("user") or settings.get("address") or "")
    if not host or not user:
        missing = "host" if not host else "user"
        raise SetupError(
            f"mail on IMAP needs {quoted(missing)} in [mail]; “sayso config mail” asks for all that it needs",
            "mail.settings",
        )
    way = _SIGN_INS.get(str(settings.get("auth") or "").lower())
    if way is None:
        raise SetupError(
            f"mail.auth is {quoted(settings.get('auth'))}; it is one of password, xoauth2, oauthbearer", "mail.settings"
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
            raise SetupError(f"mail.tls is {quoted(tls)}; it is true, false, or “starttls”", "mail.settings")
        return protection
    if host in _LOOPBACK and port not in {None, TLS_PORT}:
        return "loopback"
    return "starttls" if port == PLAIN_PORT else "tls"


async def secret_of(context: BackendContext) -> str:
    """Return the password or token. If there is none, raises `SetupError`, which says how to provide one."""
    return (await password_of(context, entry_of(context.settings))).password


def entry_of(settings: Mapping[str, Json]) -> KeyringEntry:
    """Return the keyring entry with the password of `[mail]`; reading and sending use the same one."""
    host, user = settings.get("host") or settings.get("smtp_host"), settings.get("user") or settings.get("address")
    return KeyringEntry("mail", str(host or ""), str(user or ""))


Protection = Literal["tls", "starttls", "none"]
SMTPS_PORT, SUBMISSION_PORT = 465, 587
ANSWER_SECONDS, LAST_SECONDS = 60.0, 300.0
NOT_SET = (
    "mail cannot be sent yet: the server for sending or your address is not set (mail.smtp_host, mail.address); "
    "“sayso config mail” asks for both"
)
_SMTP_PROTECTIONS: Mapping[str, Protection] = {"tls": "tls", "implicit": "tls", "starttls": "starttls", "none": "none"}


class SmtpServer(Struct, frozen=True):
    """An SMTP server, how the connection is protected, and the user; if `user` is empty, sayso does not sign in."""

    host: str
    port: int
    protection: Protection
    user: str = ""
    by_token: bool = False
    """Whether sayso signs in with a token (XOAUTH2) instead of a password."""
    seconds: float = ANSWER_SECONDS
    """The time limit for each answer."""
    last_seconds: float = LAST_SECONDS
    """The time limit for the answer to a whole message; it is longer since servers scan the message first."""


def read_server(settings: Mapping[str, Json]) -> SmtpServer:
    """Return the SMTP server of `[mail]`. Raises `SetupError` if it is not set, or if its settings are invalid."""
    host = str(settings.get("smtp_host") or "")
    if not host or not settings.get("address"):
        raise SetupError(NOT_SET, "mail.smtp_missing")
    port = settings.get("smtp_port")
    protection = _smtp_protection(settings.get("tls"), host, port)
    number = port if isinstance(port, int) else SMTPS_PORT if protection == "tls" else SUBMISSION_PORT
    by_token = "oauth" in str(settings.get("auth") or "").lower()
    return SmtpServer(host, number, protection, str(settings.get("user") or ""), by_token)


def is_here(host: str) -> bool:
    """Return whether a server is on this machine, so that no network lies between."""
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
            raise SetupError(
                f"“tls” in [mail] must be “tls”, “starttls” or “none”; found {quoted(tls[:40])}", "config.value"
            )
        return _SMTP_PROTECTIONS[tls.lower()]
    if port in {SMTPS_PORT, None}:
        return "tls"
    return "none" if tls is None and is_here(host) else "starttls"
