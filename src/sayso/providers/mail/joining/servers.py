"""The two servers of an account, how the way to each is protected, and what the settings must say to mean just that."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.mail.imap.account import account_of
from sayso.providers.mail.smtp.server import read_server

Protection = Literal["tls", "starttls", "none"]
SAID: Mapping[Protection, str] = {"tls": "TLS", "starttls": "STARTTLS", "none": "not encrypted"}
_USUAL: Mapping[int, Protection] = {993: "tls", 465: "tls", 143: "starttls", 587: "starttls"}


@dataclass(frozen=True, slots=True)
class Way:
    """One server, and how the way to it is protected."""

    host: str
    port: int
    protection: Protection

    @property
    def said(self) -> str:
        """Return it as a person would write it."""
        return f"{self.host}:{self.port}, {SAID[self.protection]}"


@dataclass(frozen=True, slots=True)
class Servers:
    """Where mail is read and where it is handed over, and how that was found out."""

    imap: Way
    smtp: Way
    found: str = ""
    hint: str = ""
    """What this provider wants of whoever signs in; empty where nothing is known."""
    user: str = ""
    """The name to sign in with, where it is known not to be the address."""


def usual_protection(port: int) -> Protection | None:
    """Return how connections to a port are protected everywhere; None for a port of somebody's own."""
    return _USUAL.get(port)


def settings_of(servers: Servers, ground: Ground, user: str, address: str) -> dict[str, Json]:
    """Return the settings that mean these servers. Raises `SetupError` where none can."""
    plain: dict[str, Json] = {
        "kind": "imap",
        "address": address,
        "user": user,
        "host": servers.imap.host,
        "port": servers.imap.port,
        "smtp_host": servers.smtp.host,
        "smtp_port": servers.smtp.port,
    }
    ways: tuple[Json, ...] = (None, True, "tls", "starttls", False)
    for tls in ways:
        settings = plain if tls is None else {**plain, "tls": tls}
        if _mean(settings, ground) == (servers.imap.protection, servers.smtp.protection):
            return settings
    raise SetupError(
        f"{servers.imap.said} and {servers.smtp.said} cannot both be set: mail.tls is for both of them; "
        "most servers also offer 993 and 465, both with TLS",
        "mail.tls",
    )


def _mean(settings: Mapping[str, Json], ground: Ground) -> tuple[str, str]:
    guard = account_of(replace(ground, settings=settings)).guard
    return ("none" if guard in {"plain", "loopback"} else guard), read_server(settings).protection
