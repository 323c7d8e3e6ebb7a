"""One conversation with a CalDAV server: requests that go nowhere but to it, and what went wrong in words."""

import ipaddress
import ssl
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from urllib.parse import unquote, urljoin, urlsplit

import httpx

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.values import dataclass
from sayso.providers.accounts.faults import speaks_no_tls, why_not_believed, why_not_reached

SECONDS = 30.0
MOST = 64 * 2**20
"""Bytes of one answer."""
_REDIRECTS = {301, 302, 303, 307, 308}
_HOPS = 5
_UNAUTHORIZED, _FAULT = 401, 500
# A server that compresses an answer makes a weak version of its ETag, under which nothing can be written.
PLAIN: Mapping[str, str] = MappingProxyType({"Accept-Encoding": "identity", "User-Agent": "sayso"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered."""

    status: int
    body: bytes
    etag: str
    url: str


class Client:
    """Speaks to one server as one person."""

    def __init__(self, url: str, user: str, password: Callable[[], Awaitable[str]], seconds: float = SECONDS) -> None:
        self.url = must_be_safe(url)
        self._user = user
        self._password = password
        self._seconds = seconds

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        """Whom this computer trusts; read once, for that takes longer than a request."""
        return ssl.create_default_context()

    @property
    def said(self) -> str:
        """Return the server as a person would call it."""
        return server_called(self.url)

    async def look(self, method: str, url: str, body: str = "", depth: str = "") -> Reply:
        """Ask for something, following redirects on the same server. Raises `ProviderError`."""
        headers = {"Content-Type": "application/xml; charset=utf-8"} if body else {}
        headers |= {"Depth": depth} if depth else {}
        for _ in range(_HOPS):
            try:
                reply = await self._sent(method, url, body.encode(), headers)
            except httpx.HTTPError as fault:
                raise ProviderError(self._words(fault), "caldav.unreachable") from fault
            if reply.status not in _REDIRECTS:
                return self._allowed(reply)
            url = self._same_server(reply.url)
        raise ProviderError(f"{self.said} sends sayso from one address to the next without end", "caldav.redirects")

    async def change(self, method: str, url: str, body: str, headers: Mapping[str, str]) -> Reply:
        """Ask for a change. Raises `Uncertain` once the server may have heard of it, else `ProviderError`."""
        more = {"Content-Type": "text/calendar; charset=utf-8"} if body else {}
        try:
            reply = await self._sent(method, url, body.encode("utf-8", "surrogateescape"), {**more, **headers})
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol) as fault:
            raise ProviderError(f"{self._words(fault)}; nothing was changed", "caldav.unreachable") from fault
        except httpx.TimeoutException as slow:
            raise Uncertain(f"{self.said} did not answer in time", "caldav.late") from slow
        except httpx.HTTPError as fault:
            raise Uncertain(f"the connection to {self.said} ended before it answered", "caldav.cut") from fault
        return self._allowed(reply)

    async def _sent(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        password = await self._password() if self._user else ""
        auth = httpx.BasicAuth(self._user, password) if self._user else None
        limits = httpx.Timeout(self._seconds)
        async with (
            httpx.AsyncClient(auth=auth, timeout=limits, trust_env=False, verify=self._trusted) as client,
            client.stream(method, url, content=body or None, headers={**PLAIN, **headers}) as answer,
        ):
            data = b""
            async for piece in answer.aiter_bytes():
                data += piece
                if len(data) > MOST:
                    raise httpx.ReadError("too long")
            where = answer.headers.get("location", "") if answer.status_code in _REDIRECTS else ""
            return Reply(answer.status_code, data, answer.headers.get("etag", ""), urljoin(url, where))

    def _allowed(self, reply: Reply) -> Reply:
        if reply.status == _UNAUTHORIZED:
            who = f"“{self._user}”" if self._user else "nobody: set calendar.user"
            raise SetupError(
                f"{self.said} does not let {who} in: the password is wrong, or it wants one made for applications",
                "caldav.password",
            )
        if reply.status >= _FAULT:
            raise Uncertain(f"{self.said} has a fault of its own ({reply.status})", "caldav.fault")
        return reply

    def _same_server(self, url: str) -> str:
        """Return an address if it is on the same server: nobody else is told the password. Raises `ProviderError`."""
        there, here = urlsplit(url), urlsplit(self.url)
        if (there.scheme, there.hostname, there.port) != (here.scheme, here.hostname, here.port):
            raise ProviderError(
                f"{self.said} sends sayso to {there.hostname}; if that is right, set calendar.url to its address",
                "caldav.elsewhere",
            )
        return url

    def whole(self, href: str) -> str:
        """Return the address of what a server names by its path. Raises `ProviderError`."""
        return self._same_server(urljoin(self.url, href))

    def _words(self, fault: httpx.HTTPError) -> str:
        if isinstance(fault, httpx.TimeoutException):
            return f"{self.said} does not answer"
        host = urlsplit(self.url).hostname or ""
        disbelieved = why_not_believed(fault, host)
        if disbelieved:
            return f"{self.said} cannot prove that it is {self.said}, and nothing was said to it: {disbelieved}"
        if speaks_no_tls(fault):
            return f"{self.said} does not speak TLS as it should; look at the port in calendar.url"
        return f"{self.said} cannot be reached: {why_not_reached(fault, host) or fault}"


def server_called(url: str) -> str:
    """Return the server of an address as a person would call it, its port included where that is not the usual one."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return url


def must_be_safe(url: str) -> str:
    """Return an address at which a password may be told. Raises `SetupError`."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as odd:
        raise SetupError(f"calendar.url: “{url[:80]}” is no address", "settings.invalid") from odd
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise SetupError("calendar.url: write the address of your CalDAV server, https://…", "settings.invalid")
    if parts.username or parts.password:
        raise SetupError("calendar.url: leave name and password out of it; set calendar.user", "settings.invalid")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise SetupError(
            f"calendar.url: “http” would tell everybody on the way your password; write https://{parts.netloc}",
            "caldav.plain",
        )
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def path_of(url: str) -> str:
    """Return the path of an address, with nothing encoded that need not be: the same for every way of writing it."""
    return unquote(urlsplit(url).path)
