"""The calendars of a person on a CalDAV server: found from one address, looked at, and written to on conditions."""

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.values import dataclass
from sayso.providers.calendar.caldav import xml
from sayso.providers.calendar.caldav.client import Client, Reply, path_of
from sayso.providers.calendar.ical.resource import Held, Resource, holds_uid

_MULTI, _OK, _GONE = 207, 200, {404, 410}
_CHANGED = {409, 412}
_WELL_KNOWN = "/.well-known/caldav"
_MAY_WRITE = {f"{xml.DAV}write", f"{xml.DAV}write-content", f"{xml.DAV}all", f"{xml.DAV}bind"}


@dataclass(frozen=True, slots=True)
class Shelf:
    """One calendar on the server."""

    href: str
    name: str
    kinds: frozenset[str]
    writable: bool


class Server:
    """What a calendar backend asks of a server."""

    def __init__(self, client: Client, chosen: str) -> None:
        self.client = client
        self._chosen = chosen
        self._shelves: tuple[Shelf, ...] = ()

    async def shelves(self) -> tuple[Shelf, ...]:
        """Return the calendars; they are looked for once. Raises `ProviderError`, `SetupError`."""
        if not self._shelves:
            self._shelves = await self._found()
        return self._shelves

    async def _found(self) -> tuple[Shelf, ...]:
        first = await self._first()
        if _is_calendar(first):
            return tuple(_shelf(part) for part in await self._asked(self.client.url, "0") if _is_calendar(part))
        home = first.href_in(f"{xml.CAL}calendar-home-set")
        principal = first.href_in(f"{xml.DAV}current-user-principal")
        if not home and principal:
            who = await self._parts("PROPFIND", self.client.whole(principal), xml.WHO, "0")
            home = next((part.href_in(f"{xml.CAL}calendar-home-set") for part in who), "")
        parts = await self._asked(self.client.whole(home) if home else self.client.url, "1")
        found = sorted((_shelf(part) for part in parts if _is_calendar(part)), key=lambda shelf: shelf.name.casefold())
        if not found:
            raise ProviderError(
                f"there is no calendar of yours at {self.client.url}; make one there, or check calendar.url",
                "caldav.none",
            )
        return tuple(found)

    async def _first(self) -> xml.Answered:
        reply = await self.client.look("PROPFIND", self.client.url, xml.WHO, "0")
        if reply.status != _MULTI and path_of(self.client.url) in {"", "/"}:
            reply = await self.client.look("PROPFIND", self.client.whole(_WELL_KNOWN), xml.WHO, "0")
        parts = self._multi(reply)
        if not parts:
            raise self._no_calendar(reply)
        return parts[0]

    async def _asked(self, url: str, depth: str) -> tuple[xml.Answered, ...]:
        return await self._parts("PROPFIND", url, xml.WHICH, depth)

    async def _parts(self, method: str, url: str, body: str, depth: str) -> tuple[xml.Answered, ...]:
        return self._multi(await self.client.look(method, url, body, depth))

    def _multi(self, reply: Reply) -> tuple[xml.Answered, ...]:
        if reply.status != _MULTI:
            raise self._no_calendar(reply)
        return xml.answered(reply.body)

    def _no_calendar(self, reply: Reply) -> ProviderError:
        return ProviderError(
            f"{self.client.url} does not answer as a calendar server does ({reply.status}); check calendar.url",
            "caldav.answer",
        )

    async def held(self, kind: str, first: str, last: str) -> Held:
        """Return what may take place between two days, or all reminders."""
        asked = xml.within(kind, first, last) if kind == "VEVENT" else xml.everything(kind)
        found: list[Resource] = []
        left_out: list[str] = []
        for shelf in await self.shelves():
            if kind in shelf.kinds:
                try:
                    found += await self._queried(shelf, asked)
                except ProviderError as odd:
                    if len(self._shelves) == 1:
                        raise
                    left_out.append(f"the calendar “{shelf.name}” was left out: {odd}")
        return Held(tuple(found), tuple(left_out))

    async def resource(self, uid: str) -> Resource | None:
        """Return what has a uid. Raises `ProviderError` when several have it."""
        found: dict[str, Resource] = {}
        for kind in ("VEVENT", "VTODO"):
            for shelf in await self.shelves():
                if kind in shelf.kinds:
                    same = await self._queried(shelf, xml.with_uid(kind, uid))
                    found |= {one.place: one for one in same if holds_uid(one.text, uid)}
            if found:
                break
        if len(found) > 1:
            raise ProviderError(
                f"the id “{uid}” stands in {len(found)} places: it is not clear which is meant", "calendar.twice"
            )
        return next(iter(found.values()), None)

    async def _queried(self, shelf: Shelf, asked: str) -> list[Resource]:
        parts = await self._parts("REPORT", self.client.whole(shelf.href), asked, "1")
        name = shelf.name if len(self._shelves) > 1 else ""
        texts = ((part, part.text(f"{xml.CAL}calendar-data")) for part in parts)
        # XML makes one character of a line break; in a calendar it has two.
        return [
            Resource(
                part.href, "\r\n".join([*text.replace("\r", "").split("\n"), ""]), part.text(f"{xml.DAV}getetag"), name
            )
            for part, text in texts
            if text
        ]

    async def at(self, place: str) -> Resource | None:
        """Return what stands at a place. Raises `ProviderError`."""
        reply = await self.client.look("GET", self.client.whole(place))
        if reply.status in _GONE:
            return None
        if reply.status != _OK:
            raise ProviderError(f"{self.client.said} does not show “{place}” ({reply.status})", "caldav.answer")
        if not reply.etag:
            raise ProviderError(
                f"{self.client.said} does not say which version it has; nothing was done", "caldav.no_etag"
            )
        return Resource(place, reply.body.decode("utf-8", "surrogateescape"), reply.etag)

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return where something new goes. Raises `ProviderError` when no calendar is called so, or can hold it."""
        wanted, shelves = calendar or self._chosen, await self.shelves()
        there = [shelf for shelf in shelves if kind in shelf.kinds and shelf.writable]
        if wanted:
            there = [one for one in there if wanted.casefold() in {one.name.casefold(), _last(one.href).casefold()}]
        if len(there) == 1 or (there and not wanted):
            return f"{there[0].href.rstrip('/')}/{uid}.ics"
        known = ", ".join(f"“{shelf.name}”" for shelf in shelves)
        what = "events" if kind == "VEVENT" else "reminders"
        which = f"There is no calendar “{wanted}” for {what}." if wanted else f"No calendar there takes {what}."
        raise ProviderError(f"{which} Calendars: {known}.", "calendar.unknown")

    def calendar_of(self, place: str) -> str:
        """Return what the calendar that a place is in is called; empty where there is one only."""
        folder = path_of(place.rpartition("/")[0]).rstrip("/")
        several = self._shelves if len(self._shelves) > 1 else ()
        return next((shelf.name for shelf in several if path_of(shelf.href).rstrip("/") == folder), "")

    async def put_new(self, place: str, text: str) -> None:
        """Write what is new, if nothing is there. Raises `ProviderError`, `Uncertain`."""
        await self._put(place, text, {"If-None-Match": "*"})

    async def put(self, place: str, text: str, etag: str) -> None:
        """Write what is changed, if it is as it was. Raises `ProviderError`, `Uncertain`."""
        await self._put(place, text, {"If-Match": etag})

    async def _put(self, place: str, text: str, condition: dict[str, str]) -> None:
        self._must_be_done(await self.client.change("PUT", self.client.whole(place), text, condition))

    async def delete(self, place: str, etag: str) -> None:
        """Take away what is as it was. Raises `ProviderError`, `Uncertain`."""
        reply = await self.client.change("DELETE", self.client.whole(place), "", {"If-Match": etag})
        if reply.status in _GONE:
            raise ProviderError("the event is gone already; nothing was done", "world.changed")
        self._must_be_done(reply)
        if await self.at(place) is not None:
            raise Uncertain(
                f"{self.client.said} says that it deleted the event, and still has it", "caldav.still_there"
            )

    def _must_be_done(self, reply: Reply) -> None:
        if reply.status in _CHANGED:
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")
        if not _OK <= reply.status < _OK + 100:
            raise ProviderError(
                f"{self.client.said} does not allow this ({reply.status}); nothing was done", "caldav.refused"
            )


def _is_calendar(part: xml.Answered) -> bool:
    kind = part.prop(f"{xml.DAV}resourcetype")
    return kind is not None and kind.find(f"{xml.CAL}calendar") is not None


def _shelf(part: xml.Answered) -> Shelf:
    kinds = part.prop(f"{xml.CAL}supported-calendar-component-set")
    named = {one.get("name", "").upper() for one in kinds} if kinds is not None else set[str]()
    allowed = part.prop(f"{xml.DAV}current-user-privilege-set")
    may = allowed is None or any(inner.tag in _MAY_WRITE for one in allowed for inner in one)
    name = " ".join(part.text(f"{xml.DAV}displayname").split()) or _last(part.href)
    return Shelf(part.href, name, frozenset(named or {"VEVENT", "VTODO"}), may)


def _last(href: str) -> str:
    return path_of(href).rstrip("/").rpartition("/")[2]
