"""The CalDAV client: conditional requests to one server, and the calendars on it."""

import ipaddress
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

import httpx2
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.quotes import quoted
from sayso.providers.accounts.errors import speaks_no_tls, why_not_believed, why_not_reached
from sayso.providers.calendar.ical.parse import Resource
from sayso.providers.calendar.ical.query import Resources, holds_uid

DAV, CAL = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}"
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
_SPACES = 'xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"'

WHO = (
    f"{_HEAD}<propfind {_SPACES}><prop><current-user-principal/><resourcetype/><c:calendar-home-set/></prop></propfind>"
)
WHICH = (
    f"{_HEAD}<propfind {_SPACES}><prop><resourcetype/><displayname/><c:supported-calendar-component-set/>"
    "<current-user-privilege-set/></prop></propfind>"
)


class MultistatusPart(Struct, frozen=True):
    """One part of a multistatus answer: the path that it describes, and the properties of the path."""

    href: str
    props: tuple[Element, ...]

    def prop(self, name: str) -> Element | None:
        """Return the property of this name, or None."""
        return next((one for one in self.props if one.tag == name), None)

    def text(self, name: str) -> str:
        """Return the text of a property; empty if there is no such property."""
        found = self.prop(name)
        return "" if found is None else "".join(found.itertext()).strip()

    def href_in(self, name: str) -> str:
        """Return the address in a property; empty if there is no such property or address."""
        found = self.prop(name)
        inner = None if found is None else found.find(f"{DAV}href")
        return "" if inner is None or inner.text is None else inner.text.strip()


def within(kind: str, first: str, last: str) -> str:
    """Return a query for entries that take place between the start of day `first` and the end of day `last`."""
    return _query(kind, f'<c:time-range start="{first}T000000Z" end="{last}T235959Z"/>')


def everything(kind: str) -> str:
    """Return a query for all entries of one kind."""
    return _query(kind, "")


def with_uid(kind: str, uid: str) -> str:
    """Return a query for the entry with this uid."""
    said = uid.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    match = f'<c:text-match collation="i;octet">{said}</c:text-match>'
    return _query(kind, f'<c:prop-filter name="UID">{match}</c:prop-filter>')


def _query(kind: str, condition: str) -> str:
    inner = f'<c:comp-filter name="VCALENDAR"><c:comp-filter name="{kind}">{condition}</c:comp-filter></c:comp-filter>'
    wanted = "<prop><getetag/><c:calendar-data/></prop>"
    return f"{_HEAD}<c:calendar-query {_SPACES}>{wanted}<c:filter>{inner}</c:filter></c:calendar-query>"


def parse_multistatus(data: bytes) -> tuple[MultistatusPart, ...]:
    """Return the parts of a multistatus answer. Raises `ProviderError` if the data is no such answer."""
    if b"<!DOCTYPE" in data[:4096].upper() or b"<!ENTITY" in data.upper():
        raise ProviderError("the calendar server's answer is not one that a calendar server gives", "caldav.answer")
    parser = cast("Any", XMLPullParser)(["end"])
    try:
        parser.feed(data)
        ended = [cast("Element", event[1]) for event in parser.read_events()]
        parser.close()
    except ParseError as error:
        raise ProviderError("the calendar server's answer cannot be read", "caldav.answer") from error
    return tuple(_part(element) for element in ended if element.tag == f"{DAV}response")


def _part(response: Element) -> MultistatusPart:
    href = response.find(f"{DAV}href")
    return MultistatusPart("" if href is None or href.text is None else href.text.strip(), tuple(_props(response)))


def _props(response: Element) -> Iterator[Element]:
    for stat in response.findall(f"{DAV}propstat"):
        status = stat.find(f"{DAV}status")
        if status is None or " 200" in (status.text or ""):
            for prop in stat.findall(f"{DAV}prop"):
                yield from prop


SECONDS = 30.0
MOST = 64 * 2**20
"""Maximum size of one answer in bytes."""
_REDIRECTS = {301, 302, 303, 307, 308}
_HOPS = 5
_UNAUTHORIZED, _FAULT = 401, 500

# A server that compresses an answer makes its ETag weak, and a weak ETag cannot be a condition for writing.
PLAIN: Mapping[str, str] = MappingProxyType({"Accept-Encoding": "identity", "User-Agent": "sayso"})


class CaldavReply(Struct, frozen=True):
    """The answer of a server; `url` is the target of a redirect, or else the address of the request."""

    status: int
    body: bytes
    etag: str
    url: str


@cache
def trusted_authorities() -> ssl.SSLContext:
    """Return a TLS context with the certificates that this computer trusts; cached, because reading them is slow."""
    return ssl.create_default_context()


class CaldavClient:
    """Sends requests to one server on behalf of one user."""

    def __init__(self, url: str, user: str, password: Callable[[], Awaitable[str]], seconds: float = SECONDS) -> None:
        self.url = must_be_safe(url)
        self._user = user
        self._password = password
        self._seconds = seconds

    @property
    def host(self) -> str:
        """Return the name of the server for messages."""
        return server_name(self.url)

    async def look(self, method: str, url: str, body: str = "", depth: str = "") -> CaldavReply:
        """Send a request that changes nothing, following redirects on the same server.

        Raises `ProviderError` or `SetupError`.
        """
        headers = {"Content-Type": "application/xml; charset=utf-8"} if body else {}
        headers |= {"Depth": depth} if depth else {}
        for _ in range(_HOPS):
            try:
                reply = await self._send(method, url, body.encode(), headers)
            except httpx2.HTTPError as fault:
                raise ProviderError(self._words(fault), "caldav.unreachable") from fault
            if reply.status not in _REDIRECTS:
                return self._check_reply(reply)
            url = self._same_server(reply.url)
        raise ProviderError(f"{self.host} sends sayso from one address to the next without end", "caldav.redirects")

    async def change(self, method: str, url: str, body: str, headers: Mapping[str, str]) -> CaldavReply:
        """Send a request that changes something.

        Raises `Uncertain` if the server may have received the request and its effect is unknown, and `ProviderError` or
        `SetupError` if nothing was changed.
        """
        more = {"Content-Type": "text/calendar; charset=utf-8"} if body else {}
        try:
            reply = await self._send(method, url, body.encode("utf-8", "surrogateescape"), {**more, **headers})
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol) as fault:
            raise ProviderError(f"{self._words(fault)}; nothing was changed", "caldav.unreachable") from fault
        except httpx2.TimeoutException as slow:
            raise Uncertain(f"{self.host} did not answer in time", "caldav.late") from slow
        except httpx2.HTTPError as fault:
            raise Uncertain(f"the connection to {self.host} ended before it answered", "caldav.cut") from fault
        return self._check_reply(reply)

    async def _send(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> CaldavReply:
        password = await self._password() if self._user else ""
        auth = httpx2.BasicAuth(self._user, password) if self._user else None
        limits = httpx2.Timeout(self._seconds)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=limits, trust_env=False, verify=trusted_authorities()) as client,
            client.stream(method, url, content=body or None, headers={**PLAIN, **headers}) as answer,
        ):
            data = b""
            async for piece in answer.aiter_bytes():
                data += piece
                if len(data) > MOST:
                    raise httpx2.ReadError("too long")
            where = answer.headers.get("location", "") if answer.status_code in _REDIRECTS else ""
            return CaldavReply(answer.status_code, data, answer.headers.get("etag", ""), urljoin(url, where))

    def _check_reply(self, reply: CaldavReply) -> CaldavReply:
        if reply.status == _UNAUTHORIZED:
            who = quoted(self._user) if self._user else "anybody without a name (set calendar.user)"
            raise SetupError(
                f"{self.host} does not let {who} in: the password is wrong, or it wants one made for applications",
                "caldav.password",
            )
        if reply.status >= _FAULT:
            raise Uncertain(f"{self.host} has a fault of its own ({reply.status})", "caldav.fault")
        return reply

    def _same_server(self, url: str) -> str:
        """Return an address if it is on the same server; no other server may get the password.

        Raises `ProviderError`.
        """
        target, own = urlsplit(url), urlsplit(self.url)
        if (target.scheme, target.hostname, target.port) != (own.scheme, own.hostname, own.port):
            raise ProviderError(
                f"{self.host} sends sayso to {target.hostname}; if that is right, set calendar.url to its address",
                "caldav.elsewhere",
            )
        return url

    def whole(self, href: str) -> str:
        """Return the full address for a path that the server gave.

        Raises `ProviderError` if it is on another server.
        """
        return self._same_server(urljoin(self.url, href))

    def _words(self, fault: httpx2.HTTPError) -> str:
        if isinstance(fault, httpx2.TimeoutException):
            return f"{self.host} does not answer"
        host = urlsplit(self.url).hostname or ""
        disbelieved = why_not_believed(fault, host)
        if disbelieved:
            return f"{self.host} cannot prove that it is {self.host}, and nothing was sent to it: {disbelieved}"
        if speaks_no_tls(fault):
            return f"{self.host} does not speak TLS as it should; look at the port in calendar.url"
        return f"{self.host} cannot be reached: {why_not_reached(fault, host) or fault}"


def server_name(url: str) -> str:
    """Return the host of an address, with its port if the address has one."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return url


def must_be_safe(url: str) -> str:
    """Return the address if a password may be sent to it. Raises `SetupError` if not."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise SetupError(f"calendar.url: {quoted(url[:80])} is no address", "settings.invalid") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise SetupError("calendar.url: write the address of your CalDAV server, https://…", "settings.invalid")
    if parts.username or parts.password:
        raise SetupError("calendar.url: leave name and password out of it; set calendar.user", "settings.invalid")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise SetupError(
            f"calendar.url: “http” would show your password to everybody on the way; write https://{parts.netloc}",
            "caldav.plain",
        )
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def path_of(url: str) -> str:
    """Return the decoded path of an address, so that different spellings of one path are equal."""
    return unquote(urlsplit(url).path)


_MULTI, _OK, _GONE = 207, 200, {404, 410}
_CHANGED = {409, 412}
_WELL_KNOWN = "/.well-known/caldav"

_MAY_WRITE = {f"{DAV}write", f"{DAV}write-content", f"{DAV}all", f"{DAV}bind"}


class ServerCalendar(Struct, frozen=True):
    """One calendar on the server."""

    href: str
    name: str
    kinds: frozenset[str]
    writable: bool


class CalendarServer:
    """The calendars on a server and their entries."""

    def __init__(self, client: CaldavClient, chosen: str) -> None:
        self.client = client
        self._chosen = chosen
        self._calendars: tuple[ServerCalendar, ...] = ()

    async def calendars(self) -> tuple[ServerCalendar, ...]:
        """Return the calendars; they are requested only once. Raises `ProviderError` or `SetupError`."""
        if not self._calendars:
            self._calendars = await self._find_calendars()
        return self._calendars

    async def _find_calendars(self) -> tuple[ServerCalendar, ...]:
        first = await self._first()
        if _is_calendar(first):
            return _read_calendars(await self._propfind(self.client.url, "0"))
        home = first.href_in(f"{CAL}calendar-home-set")
        principal = first.href_in(f"{DAV}current-user-principal")
        if not home and principal:
            who = await self._parts("PROPFIND", self.client.whole(principal), WHO, "0")
            home = next((part.href_in(f"{CAL}calendar-home-set") for part in who), "")
        parts = await self._propfind(self.client.whole(home) if home else self.client.url, "1")
        found = sorted(_read_calendars(parts), key=lambda one: one.name.casefold())
        if not found:
            raise ProviderError(
                f"there is no calendar of yours at {self.client.url}; make one there, or check calendar.url",
                "caldav.none",
            )
        return tuple(found)

    async def _first(self) -> MultistatusPart:
        reply = await self.client.look("PROPFIND", self.client.url, WHO, "0")
        if reply.status != _MULTI and path_of(self.client.url) in {"", "/"}:
            reply = await self.client.look("PROPFIND", self.client.whole(_WELL_KNOWN), WHO, "0")
        parts = self._multi(reply)
        if not parts:
            raise self._no_calendar(reply)
        return parts[0]

    async def _propfind(self, url: str, depth: str) -> tuple[MultistatusPart, ...]:
        return await self._parts("PROPFIND", url, WHICH, depth)

    async def _parts(self, method: str, url: str, body: str, depth: str) -> tuple[MultistatusPart, ...]:
        return self._multi(await self.client.look(method, url, body, depth))

    def _multi(self, reply: CaldavReply) -> tuple[MultistatusPart, ...]:
        if reply.status != _MULTI:
            raise self._no_calendar(reply)
        return parse_multistatus(reply.body)

    def _no_calendar(self, reply: CaldavReply) -> ProviderError:
        return ProviderError(
            f"{self.client.url} does not answer as a calendar server does ({reply.status}); check calendar.url",
            "caldav.answer",
        )

    async def resources(self, kind: str, first: str, last: str) -> Resources:
        """Return at least the events that may take place between two days, or all reminders."""
        asked = within(kind, first, last) if kind == "VEVENT" else everything(kind)
        found: list[Resource] = []
        left_out: list[str] = []
        for calendar in await self.calendars():
            if kind in calendar.kinds:
                try:
                    found += await self._run_query(calendar, asked)
                except ProviderError as error:
                    if len(self._calendars) == 1:
                        raise
                    left_out.append(f"the calendar {quoted(calendar.name)} was left out: {error}")
        return Resources(tuple(found), tuple(left_out))

    async def resource(self, uid: str) -> Resource | None:
        """Return the entry with this uid, or None. Raises `ProviderError` if several entries have it."""
        found: dict[str, Resource] = {}
        for kind in ("VEVENT", "VTODO"):
            for calendar in await self.calendars():
                if kind in calendar.kinds:
                    same = await self._run_query(calendar, with_uid(kind, uid))
                    found |= {one.place: one for one in same if holds_uid(one.text, uid)}
            if found:
                break
        if len(found) > 1:
            raise ProviderError(
                f"the id {quoted(uid)} stands in {len(found)} places: it is not clear which is meant", "calendar.twice"
            )
        return next(iter(found.values()), None)

    async def _run_query(self, calendar: ServerCalendar, asked: str) -> list[Resource]:
        parts = await self._parts("REPORT", self.client.whole(calendar.href), asked, "1")
        name = calendar.name if len(self._calendars) > 1 else ""
        texts = ((part, part.text(f"{CAL}calendar-data")) for part in parts)
        # The XML parser returns each line break as one character; iCalendar text has two.
        return [
            Resource(
                part.href, "\r\n".join([*text.replace("\r", "").split("\n"), ""]), part.text(f"{DAV}getetag"), name
            )
            for part, text in texts
            if text
        ]

    async def at(self, place: str) -> Resource | None:
        """Return the entry at a path on the server, or None. Raises `ProviderError`."""
        reply = await self.client.look("GET", self.client.whole(place))
        if reply.status in _GONE:
            return None
        if reply.status != _OK:
            raise ProviderError(f"{self.client.host} does not show {quoted(place)} ({reply.status})", "caldav.answer")
        if not reply.etag:
            raise ProviderError(
                f"{self.client.host} does not say which version it has; nothing was done", "caldav.no_etag"
            )
        return Resource(place, reply.body.decode("utf-8", "surrogateescape"), reply.etag)

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return the path for a new entry. Raises `ProviderError` if no calendar accepts entries of this kind."""
        wanted, calendars = calendar or self._chosen, await self.calendars()
        usable = [one for one in calendars if kind in one.kinds and one.writable]
        if wanted:
            usable = [one for one in usable if wanted.casefold() in {one.name.casefold(), _last(one.href).casefold()}]
        if len(usable) == 1 or (usable and not wanted):
            return f"{usable[0].href.rstrip('/')}/{uid}.ics"
        known = ", ".join(quoted(one.name) for one in calendars)
        what = "events" if kind == "VEVENT" else "reminders"
        which = f"There is no calendar {quoted(wanted)} for {what}." if wanted else f"No calendar there takes {what}."
        raise ProviderError(f"{which} Calendars: {known}.", "calendar.unknown")

    def calendar_of(self, place: str) -> str:
        """Return the name of the calendar that contains a path; empty if there is only one calendar."""
        folder = path_of(place.rpartition("/")[0]).rstrip("/")
        several = self._calendars if len(self._calendars) > 1 else ()
        return next((calendar.name for calendar in several if path_of(calendar.href).rstrip("/") == folder), "")

    async def put_new(self, place: str, text: str) -> None:
        """Write a new entry; nothing may be at its path. Raises `ProviderError` or `Uncertain`."""
        await self._put(place, text, {"If-None-Match": "*"})

    async def put(self, place: str, text: str, etag: str) -> None:
        """Write a changed entry; it must still have this ETag. Raises `ProviderError` or `Uncertain`."""
        await self._put(place, text, {"If-Match": etag})

    async def _put(self, place: str, text: str, condition: dict[str, str]) -> None:
        self._must_be_done(await self.client.change("PUT", self.client.whole(place), text, condition))

    async def delete(self, place: str, etag: str) -> None:
        """Delete an entry; it must still have this ETag. Raises `ProviderError` or `Uncertain`."""
        reply = await self.client.change("DELETE", self.client.whole(place), "", {"If-Match": etag})
        if reply.status in _GONE:
            raise ProviderError("the event is gone already; nothing was done", "world.changed")
        self._must_be_done(reply)
        if await self.at(place) is not None:
            raise Uncertain(
                f"{self.client.host} says that it deleted the event, and still has it", "caldav.still_there"
            )

    def _must_be_done(self, reply: CaldavReply) -> None:
        if reply.status in _CHANGED:
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")
        if not _OK <= reply.status < _OK + 100:
            raise ProviderError(
                f"{self.client.host} does not allow this ({reply.status}); nothing was done", "caldav.refused"
            )


def _is_calendar(part: MultistatusPart) -> bool:
    kind = part.prop(f"{DAV}resourcetype")
    return kind is not None and kind.find(f"{CAL}calendar") is not None


def _read_calendars(parts: tuple[MultistatusPart, ...]) -> tuple[ServerCalendar, ...]:
    return tuple(_read_calendar(part) for part in parts if _is_calendar(part))


def _read_calendar(part: MultistatusPart) -> ServerCalendar:
    kinds = part.prop(f"{CAL}supported-calendar-component-set")
    named = {one.get("name", "").upper() for one in kinds} if kinds is not None else set[str]()
    allowed = part.prop(f"{DAV}current-user-privilege-set")
    may = allowed is None or any(inner.tag in _MAY_WRITE for one in allowed for inner in one)
    name = " ".join(part.text(f"{DAV}displayname").split()) or _last(part.href)
    return ServerCalendar(part.href, name, frozenset(named or {"VEVENT", "VTODO"}), may)


def _last(href: str) -> str:
    return path_of(href).rstrip("/").rpartition("/")[2]
