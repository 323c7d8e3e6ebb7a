"""What is asked of a CalDAV server in XML, and what its multistatus answers say."""

from collections.abc import Iterator
from typing import Any, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from sayso.core.errors import ProviderError
from sayso.core.values import dataclass

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


@dataclass(frozen=True, slots=True)
class Answered:
    """One part of a multistatus answer: what it is about, and the properties that it has."""

    href: str
    props: tuple[Element, ...]

    def prop(self, name: str) -> Element | None:
        """Return a property."""
        return next((one for one in self.props if one.tag == name), None)

    def text(self, name: str) -> str:
        """Return a property's text; empty where there is none."""
        found = self.prop(name)
        return "" if found is None else "".join(found.itertext()).strip()

    def href_in(self, name: str) -> str:
        """Return the address in a property; empty where there is none."""
        found = self.prop(name)
        inner = None if found is None else found.find(f"{DAV}href")
        return "" if inner is None or inner.text is None else inner.text.strip()


def within(kind: str, first: str, last: str) -> str:
    """Ask for what takes place from the begin of one day to the end of another."""
    return _query(kind, f'<c:time-range start="{first}T000000Z" end="{last}T235959Z"/>')


def everything(kind: str) -> str:
    """Ask for all of one kind."""
    return _query(kind, "")


def with_uid(kind: str, uid: str) -> str:
    """Ask for what has a uid."""
    said = uid.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    match = f'<c:text-match collation="i;octet">{said}</c:text-match>'
    return _query(kind, f'<c:prop-filter name="UID">{match}</c:prop-filter>')


def _query(kind: str, condition: str) -> str:
    inner = f'<c:comp-filter name="VCALENDAR"><c:comp-filter name="{kind}">{condition}</c:comp-filter></c:comp-filter>'
    wanted = "<prop><getetag/><c:calendar-data/></prop>"
    return f"{_HEAD}<c:calendar-query {_SPACES}>{wanted}<c:filter>{inner}</c:filter></c:calendar-query>"


def answered(data: bytes) -> tuple[Answered, ...]:
    """Return the parts of a multistatus answer. Raises `ProviderError` for what is none."""
    if b"<!DOCTYPE" in data[:4096].upper() or b"<!ENTITY" in data.upper():
        raise ProviderError("the calendar server answers with what no calendar server says", "caldav.answer")
    parser = cast("Any", XMLPullParser)(["end"])
    try:
        parser.feed(data)
        ended = [cast("Element", event[1]) for event in parser.read_events()]
        parser.close()
    except ParseError as odd:
        raise ProviderError("the calendar server's answer cannot be read", "caldav.answer") from odd
    return tuple(_part(element) for element in ended if element.tag == f"{DAV}response")


def _part(response: Element) -> Answered:
    href = response.find(f"{DAV}href")
    return Answered("" if href is None or href.text is None else href.text.strip(), tuple(_props(response)))


def _props(response: Element) -> Iterator[Element]:
    for stat in response.findall(f"{DAV}propstat"):
        status = stat.find(f"{DAV}status")
        if status is None or " 200" in (status.text or ""):
            for prop in stat.findall(f"{DAV}prop"):
                yield from prop
