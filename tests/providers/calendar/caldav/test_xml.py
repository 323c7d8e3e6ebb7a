"""What a server answers is read strictly, and what it is asked is one question whatever is in it."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError
from sayso.providers.calendar.caldav.xml import CAL, DAV, answered, everything, with_uid, within

ANSWER = b"""<?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">
<D:response><D:href>/a/</D:href><D:propstat><D:prop><D:displayname> Work &amp; more </D:displayname>
<C:calendar-home-set><D:href>/home/</D:href></C:calendar-home-set></D:prop>
<D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><D:getetag>no</D:getetag></D:prop>
<D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
</D:response></D:multistatus>"""


def test_only_what_there_is_is_read():
    (part,) = answered(ANSWER)

    assert (part.href, part.text(f"{DAV}displayname"), part.text(f"{DAV}getetag")) == ("/a/", "Work & more", "")
    assert part.href_in(f"{CAL}calendar-home-set") == "/home/"
    assert part.href_in(f"{DAV}current-user-principal") == ""


@pytest.mark.parametrize(
    "data",
    [
        b"<html><body>Log in",
        b"",
        b'<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>',
        b'<?xml version="1.0"?><!doctype x><x/>',
    ],
)
def test_what_is_no_answer_of_a_calendar_is_refused(data: bytes):
    with pytest.raises(ProviderError):
        answered(data)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1))
@pytest.mark.req("CA-01")
def test_a_uid_is_asked_for_as_it_is(uid: str):
    asked = with_uid("VEVENT", uid)

    (found,) = re.findall(r"<c:text-match[^>]*>([^<]*)</c:text-match>", asked)
    assert html.unescape(found) == uid


def test_a_stretch_of_time_and_all_of_a_kind_are_asked_for():
    assert 'start="20260314T000000Z" end="20260315T235959Z"' in within("VEVENT", "20260314", "20260315")
    assert 'name="VTODO"' in everything("VTODO")
