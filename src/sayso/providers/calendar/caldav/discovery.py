"""Find the calendar server of a domain, and the password of an account."""

import ssl
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urljoin, urlsplit

import httpx2
from msgspec import Struct

from sayso.core.ports import BackendContext
from sayso.providers.accounts.dns import DnsRecords, is_host
from sayso.providers.accounts.keyring import KeyringEntry, password_of
from sayso.providers.calendar.caldav.client import PLAIN


class AccountPassword:
    """The password of an account; it is looked up only once."""

    def __init__(self, context: BackendContext, entry: KeyringEntry) -> None:
        self.entry = entry
        self._context = context
        self._known: str | None = None

    async def password(self) -> str:
        """Return the password. If there is none, raises `SetupError`, which says how to store one."""
        if self._known is None:
            self._known = (await password_of(self._context, self.entry)).password
        return self._known


SECONDS = 4.0
WELL_KNOWN = "/.well-known/caldav"
_USUAL = 443
_APPLE = "https://caldav.icloud.com/"
KNOWN: Mapping[str, str] = MappingProxyType(dict.fromkeys(("icloud.com", "me.com", "mac.com"), _APPLE))
HINTS: Mapping[str, str] = MappingProxyType(
    {
        "caldav.icloud.com": (
            "iCloud wants an app-specific password: make one at https://account.apple.com, under Sign-In and Security."
        ),
    }
)
ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            ("gmail.com", "googlemail.com"),
            "Google lets no program into its calendars by a password. A program such as vdirsyncer can keep them in a "
            "folder, which sayso reads and writes (calendar.path).",
        ),
        **dict.fromkeys(
            ("outlook.com", "hotmail.com", "live.com", "msn.com"),
            "Microsoft's calendars do not speak CalDAV. A program such as davmail can stand in between; then type "
            "its address here.",
        ),
    }
)


class FoundServer(Struct, frozen=True):
    """The address of a domain's calendar server, and how it was found."""

    url: str
    how: str


def find_server(domain: str, names: DnsRecords) -> FoundServer | None:
    """Return the calendar server of a domain, or None. The requests contain nothing that identifies the person."""
    domain = domain.lower()
    if domain in KNOWN:
        return FoundServer(KNOWN[domain], "known of iCloud")
    for one in names.services(f"_caldavs._tcp.{domain}"):
        port = "" if one.port == _USUAL else f":{one.port}"
        path = names.path(f"_caldavs._tcp.{domain}") or "/"
        return FoundServer(f"https://{one.host.lower()}{port}{path}", f"named by the SRV records of {domain}")
    there = follow_redirect(f"https://{domain}{WELL_KNOWN}")
    return FoundServer(there, f"named by https://{domain}{WELL_KNOWN}") if there else None


def follow_redirect(url: str) -> str:
    """Return the address of the calendar server behind a well-known address; empty if there is none.

    It is the target of a redirect, or the well-known address itself if a calendar server answers at it.
    """
    try:
        with httpx2.Client(timeout=SECONDS, trust_env=False, verify=ssl.create_default_context()) as client:
            answer = client.request("PROPFIND", url, headers={**PLAIN, "Depth": "0"})
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
        return ""
    if answer.status_code in {301, 302, 303, 307, 308}:
        return _safe(urljoin(url, answer.headers.get("location", "")))
    return url if answer.status_code in {207, 401} else ""


def _safe(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    proper = parts.scheme == "https" and is_host(parts.hostname or "") and not parts.username and url.isprintable()
    return url if proper else ""
