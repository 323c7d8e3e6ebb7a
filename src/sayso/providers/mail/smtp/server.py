"""Where mail is handed over, as the settings say it."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Literal

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.values import dataclass

Protection = Literal["tls", "starttls", "none"]
TLS_PORT, SUBMISSION_PORT = 465, 587
SECONDS, LAST_SECONDS = 60.0, 300.0
NOT_SET = (
    "mail cannot be sent yet: a server that takes it or your address is not set (mail.smtp_host, mail.address); "
    "“sayso config mail” asks for both"
)
_PROTECTIONS: Mapping[str, Protection] = {"tls": "tls", "implicit": "tls", "starttls": "starttls", "none": "none"}


@dataclass(frozen=True, slots=True)
class Server:
    """An SMTP server, how the way to it is protected, and who signs in there; nobody where `user` is empty."""

    host: str
    port: int
    protection: Protection
    user: str = ""
    by_token: bool = False
    """What is asked for is a token (XOAUTH2) and no password."""
    seconds: float = SECONDS
    """How long each answer may take."""
    last_seconds: float = LAST_SECONDS
    """How long the answer to a whole message may take; servers look at what is in it first."""


def read_server(settings: Mapping[str, Json]) -> Server:
    """Return the server of `[mail]`. Raises `SetupError` where none is set, or none that can be."""
    host = str(settings.get("smtp_host") or "")
    if not host or not settings.get("address"):
        raise SetupError(NOT_SET, "mail.smtp_missing")
    port = settings.get("smtp_port")
    protection = _protection(settings.get("tls"), host, port)
    number = port if isinstance(port, int) else TLS_PORT if protection == "tls" else SUBMISSION_PORT
    by_token = "oauth" in str(settings.get("auth") or "").lower()
    return Server(host, number, protection, str(settings.get("user") or ""), by_token)


def is_here(host: str) -> bool:
    """Say whether a server is this very machine, so that nobody can listen on the way."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _protection(tls: Json, host: str, port: Json) -> Protection:
    if tls is False:
        return "none"
    if isinstance(tls, str) and tls:
        if tls.lower() not in _PROTECTIONS:
            raise SetupError(f"“tls” in [mail] must be “tls”, “starttls” or “none”; found “{tls[:40]}”", "config.value")
        return _PROTECTIONS[tls.lower()]
    if port in {TLS_PORT, None}:
        return "tls"
    return "none" if tls is None and is_here(host) else "starttls"
