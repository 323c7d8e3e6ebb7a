"""Sends one request: the host is resolved once, its addresses are judged, and the connection is made to one of them."""

import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache
from ipaddress import ip_address
from socket import SOCK_STREAM
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin

import anyio
import httpx2
from msgspec import UNSET, Struct
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError, Refused, Uncertain
from sayso.providers.accounts.errors import why_not_believed, why_not_reached
from sayso.providers.web.addresses import (
    IPAddress,
    WebAddress,
    reachable_from,
    read_web_address,
    why_private,
    why_refused,
)
from sayso.providers.web.bodies import Body, describe_other, find_charset, is_text, kept_headers
from sayso.providers.web.model import Fetch, Fetched

SECONDS, CONNECT_SECONDS = 30.0, 10.0
MOST = 2**20
"""Maximum size of a reply's body in bytes, after decompression; the rest is not read."""
HOPS = 5
_TRIES = 4
"""How many addresses of one host are tried, if no connection can be made to the first."""
_MOVED = frozenset({301, 302, 303, 307, 308})
_AS_GET = frozenset({301, 302})
_SEE_OTHER = 303
_EMPTY = frozenset({204, 304})
ONLY_ASKS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that ask for something and change nothing, by RFC 9110; a lost reply to one is no reason for doubt."""
_ANYWHERE = frozenset({"accept", "accept-language"})
"""Headers of the proposer that also go to another origin that a reply leads to."""
_OF_A_BODY = ("content-",)
_SENT = "send_request_headers.started"
OURS: Mapping[str, str] = MappingProxyType(
    {"User-Agent": "sayso", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
)

Resolve = Callable[[str, int], Awaitable[Sequence[IPAddress]]]


async def resolve(host: str, port: int) -> Sequence[IPAddress]:
    """Return the addresses of a host, each once, as the system gives them. Raises `OSError`."""
    found = await anyio.getaddrinfo(host, port, type=SOCK_STREAM)
    return tuple(dict.fromkeys(ip_address(there[4][0]) for there in found))


@cache
def _authorities() -> ssl.SSLContext:
    return ssl.create_default_context()


class Hop(Struct, frozen=True):
    """One request on the way to a reply."""

    method: str
    there: WebAddress
    headers: tuple[tuple[str, str], ...]
    body: bytes | None


class Answered(Struct, frozen=True):
    """The reply to one request, and where it leads if it is a redirect."""

    reply: Fetched
    location: str = ""


class Exchange:
    """How far one request came."""

    def __init__(self, hop: Hop) -> None:
        self.hop = hop
        self.sent = False
        self.head: Answered | None = None
        """Status and headers of the reply, once they came."""
        self.body: Body | None = None
        self.charset = ""

    async def trace(self, event: str, _info: Mapping[str, Any]) -> None:
        """Note the moment from which the server may have got something."""
        self.sent = self.sent or event.endswith(_SENT)

    def end(self, why: str) -> Answered:
        """Return the reply as far as it came; `why` says why nothing more comes, if it broke off.

        Without a reply, raises `ProviderError`, or `Uncertain` if the server may have done what it was asked.
        """
        if self.head is not None:
            if self.body is None:
                return self.head
            text, missing = self.body.end(self.charset, why)
            return replace(self.head, reply=replace(self.head.reply, body=text, note=missing or UNSET))
        host = self.hop.there.netloc
        if not self.sent:
            raise ProviderError(f"{host}: {why}; nothing was sent", "web.unsent")
        if self.hop.method in ONLY_ASKS:
            raise ProviderError(f"{host}: {why}; the request was sent, and there is no reply to it", "web.no_reply")
        raise Uncertain(f"{host}: {why}", "web.no_reply")


class WebClient:
    """Sends requests to public addresses and to listed hosts; keeps no cookies and reads no proxy or password file.

    A proxy would resolve the name again by itself, so that nobody could say which address is reached.
    """

    def __init__(
        self,
        listed: tuple[str, ...] = (),
        *,
        resolve: Resolve = resolve,
        seconds: float = SECONDS,
        most: int = MOST,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.listed = listed
        self._resolve = resolve
        self._seconds = seconds
        self._most = most
        self._tls = tls

    async def send(self, step: Fetch) -> Fetched:
        """Send the request of a step, follow redirects, and return the last reply.

        Raises `Refused` for an address that must not be reached, `ProviderError`, or `Uncertain`. A redirect that
        cannot be followed is no error: something was sent and answered, and the reply is that answer.
        """
        headers = tuple((name, value.strip()) for name, _, value in (one.partition(":") for one in step.headers))
        hop = Hop(step.method, read_web_address(step.url), headers, None if step.body is None else step.body.encode())
        deadline = anyio.current_time() + self._seconds
        listed = self.listed
        done = await self._once(hop, step.id, deadline, listed)
        for _ in range(HOPS):
            if not done.location:
                return done.reply
            following = follow(hop, done.reply.status, done.location)
            if isinstance(following, str):
                return _not_followed(done, following)
            listed = reachable_from(hop.there, listed)
            try:
                done = await self._once(following, step.id, deadline, listed)
            except Uncertain:
                raise
            except (ProviderError, Refused) as why:
                return _not_followed(done, str(why))
            hop = following
        return _not_followed(done, f"there were more than {HOPS}") if done.location else done.reply

    async def _once(self, hop: Hop, id_: str, deadline: float, listed: tuple[str, ...]) -> Answered:
        exchange, why = Exchange(hop), ""
        late = f"it did not answer within {self._seconds:g} seconds"
        with anyio.CancelScope(deadline=deadline) as scope:
            try:
                await self._exchange(exchange, id_, await self.reach(hop.there, listed))
            except (httpx2.HTTPError, OSError) as fault:
                why = _explain(fault, hop.there.host, late)
        return exchange.end(late if scope.cancelled_caught else why)

    async def reach(self, there: WebAddress, listed: tuple[str, ...]) -> Sequence[IPAddress]:
        """Return the addresses to connect to. Raises `Refused` if one of them must not be reached, and `OSError`."""
        try:
            addresses: Sequence[IPAddress] = (ip_address(there.host),)
        except ValueError:
            addresses = await self._resolve(there.host, there.port)
        if not addresses:
            raise ProviderError(f"{there.host} has no address; nothing was sent", "web.unsent")
        for address in addresses:
            what = why_refused(address, there, listed)
            if what and not why_refused(address, there, self.listed):
                raise Refused(f"another site leads to {there.netloc}, which is {what}", "web.private", "web")
            if what:
                raise Refused(why_private(there, f"at {address}, {what}"), "web.private", "web")
        return addresses[:_TRIES]

    async def _exchange(self, exchange: Exchange, id_: str, addresses: Sequence[IPAddress]) -> None:
        # The transport alone does one exchange: it follows nothing, keeps nothing and reads no environment.
        async with httpx2.AsyncHTTPTransport(verify=self._tls or _authorities(), trust_env=False) as transport:
            for left, address in zip(reversed(range(len(addresses))), addresses, strict=True):
                try:
                    answer = await transport.handle_async_request(self._request(exchange, address))
                except (httpx2.ConnectError, httpx2.ConnectTimeout):
                    if not left:
                        raise
                    continue
                try:
                    await self._read(exchange, id_, answer)
                finally:
                    await answer.aclose()
                return

    def _request(self, exchange: Exchange, address: IPAddress) -> httpx2.Request:
        """Return the request to one address; name, certificate and target are those of the host."""
        hop = exchange.hop
        given = {name.lower() for name, _ in hop.headers}
        ours = ((name, value) for name, value in OURS.items() if name.lower() not in given)
        headers = (("Host", hop.there.netloc), *ours, *hop.headers)
        return httpx2.Request(
            hop.method,
            hop.there.at(address),
            headers=[(name.encode(), value.encode()) for name, value in headers],
            content=hop.body,
            extensions={
                "sni_hostname": hop.there.host,
                "target": hop.there.target.encode(),
                "trace": exchange.trace,
                "timeout": httpx2.Timeout(self._seconds, connect=CONNECT_SECONDS).as_dict(),
            },
        )

    async def _read(self, exchange: Exchange, id_: str, answer: httpx2.Response) -> None:
        """Read a reply as far as it is text and not too long; what is here is kept when the rest does not come."""
        status, there = answer.status_code, exchange.hop.there
        reply = Fetched(id_, status, kept_headers(answer.headers.multi_items()), url=there.url)
        location = answer.headers.get("location", "") if status in _MOVED else ""
        exchange.head = Answered(reply, location)
        if location or exchange.hop.method == "HEAD" or status in _EMPTY:
            return
        kind, encoding = answer.headers.get("content-type", ""), answer.headers.get("content-encoding", "")
        body = Body.of(encoding, self._most)
        if body is None or not is_text(kind):
            what = describe_other(kind, encoding, answer.headers.get("content-length", ""))
            exchange.head = Answered(replace(reply, note=what))
            return
        exchange.body, exchange.charset = body, find_charset(kind)
        async for piece in answer.aiter_raw():
            if not body.add(piece):
                return


def follow(hop: Hop, status: int, location: str) -> Hop | str:
    """Return the request that a redirect asks for by RFC 9110, or why it is not sent."""
    try:
        there = read_web_address(urljoin(hop.there.url, location))
    except (ProposalError, ValueError):
        return "it leads to something that is no web address"
    if hop.there.scheme == "https" and there.scheme == "http":
        return "it leads from an encrypted connection to one that is not"
    as_get = status == _SEE_OTHER or (status in _AS_GET and hop.method == "POST")
    method = "GET" if as_get and hop.method != "HEAD" else hop.method
    away = there.origin != hop.there.origin
    if away and method not in ONLY_ASKS:
        return f"it would send what was meant for {hop.there.netloc} to {there.netloc}"
    body = hop.body if method == hop.method else None
    return Hop(method, there, tuple(_kept(hop.headers, away=away, with_body=body is not None)), body)


def _kept(headers: Iterable[tuple[str, str]], *, away: bool, with_body: bool) -> Iterable[tuple[str, str]]:
    for name, value in headers:
        lower = name.lower()
        if (not away or lower in _ANYWHERE) and (with_body or not lower.startswith(_OF_A_BODY)):
            yield name, value


def _not_followed(done: Answered, why: str) -> Fetched:
    return replace(done.reply, note=f"the redirect was not followed: {why}")


def _explain(fault: Exception, host: str, late: str) -> str:
    """Return why nothing more comes."""
    untrusted = why_not_believed(fault, host)
    if untrusted:
        return untrusted
    if isinstance(fault, httpx2.TimeoutException):
        return late
    if isinstance(fault, (httpx2.ConnectError, OSError)):
        return why_not_reached(fault, host) or "no connection could be made"
    if isinstance(fault, httpx2.ProtocolError):
        return "what answered does not follow the rules of HTTP"
    return "the connection ended"
