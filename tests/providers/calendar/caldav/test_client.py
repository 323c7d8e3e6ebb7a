"""A password is told to the server that the settings name and to nobody else, and never in the open."""

import html
import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.calendar.caldav.backend import build
from sayso.providers.calendar.caldav.client import (
    CAL,
    DAV,
    CaldavClient,
    CalendarServer,
    everything,
    must_be_safe,
    parse_multistatus,
    path_of,
    with_uid,
    within,
)
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import refusal_of
from tests.desktop_env.browser import serving
from tests.desktop_env.radicale import USER, Radicale, password

ANSWER = b"""<?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">
<D:response><D:href>/a/</D:href><D:propstat><D:prop><D:displayname> Work &amp; more </D:displayname>
<C:calendar-home-set><D:href>/home/</D:href></C:calendar-home-set></D:prop>
<D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><D:getetag>no</D:getetag></D:prop>
<D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
</D:response></D:multistatus>"""


def test_only_what_there_is_is_read():
    (part,) = parse_multistatus(ANSWER)

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
        parse_multistatus(data)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1))
@pytest.mark.req("CA-01")
def test_a_uid_is_asked_for_as_it_is(uid: str):
    asked = with_uid("VEVENT", uid)

    (found,) = re.findall(r"<c:text-match[^>]*>([^<]*)</c:text-match>", asked)
    assert html.unescape(found) == uid


def test_a_stretch_of_time_and_all_of_a_kind_are_asked_for():
    assert 'start="20260314T000000Z" end="20260315T235959Z"' in within("VEVENT", "20260314", "20260315")
    assert 'name="VTODO"' in everything("VTODO")


HERE = "https://cal.example.org/dav/"


def client(url: str = HERE) -> CaldavClient:
    return CaldavClient(url, "ana", password)


@pytest.mark.parametrize("url", [HERE, "http://127.0.0.1:5232/", "http://[::1]/", "http://localhost/"])
def test_an_address_is_safe_when_it_is_encrypted_or_stays_here(url: str):
    assert must_be_safe(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://cal.example.org/",
        "ftp://x/",
        "https://",
        "https://ana:x@cal.example.org/",
        "nonsense",
        "http://127.0.0.1.example.org/",
        "https://x:99999/",
    ],
)
def test_any_other_address_is_refused_without_telling_what_is_in_it(url: str):
    with pytest.raises(SetupError, match=r"calendar\.url") as refused:
        must_be_safe(url)

    assert "ana:x" not in str(refused.value)


@pytest.mark.parametrize(
    "href",
    ["https://evil.example/", "http://cal.example.org/dav/", "//evil.example/x", "https://cal.example.org:8443/"],
)
def test_nobody_else_is_asked(href: str):
    with pytest.raises(ProviderError, match=r"calendar\.url"):
        client().whole(href)


def test_a_path_is_one_on_the_server():
    assert client().whole("/dav/ana/") == "https://cal.example.org/dav/ana/"
    assert client().host == "cal.example.org"
    assert path_of("https://x/%7Eana/a%20b") == "/~ana/a b"


@pytest.mark.req("SE-03")
async def test_another_port_of_this_machine_to_which_a_server_sends_hears_nothing():
    with serving() as server, serving() as other:
        server.pages["/dav"] = (302, {"Location": other.url("/dav")}, b"")

        with pytest.raises(ProviderError, match=r"sends sayso to .*set calendar\.url"):
            await client(server.url("/dav")).look("GET", server.url("/dav"))

    assert (server.asked, other.asked) == (["/dav"], [])


def server(url: str, chosen: str = "") -> CalendarServer:
    return CalendarServer(CaldavClient(url, USER, password), chosen)


@pytest.mark.parametrize("path", ["", "ana/", "ana/work/"])
async def test_calendars_are_found_from_the_top_the_person_or_the_calendar(radicale: Radicale, path: str):
    radicale.clear()
    radicale.calendar("work", "Büro")

    found = await server(f"{radicale.url}{path}").calendars()

    assert [(one.href, one.name, sorted(one.kinds)) for one in found] == [("/ana/work/", "Büro", ["VEVENT", "VTODO"])]


async def test_a_server_without_calendars_says_so(radicale: Radicale):
    radicale.clear()

    with pytest.raises(ProviderError, match="there is no calendar of yours"):
        await server(radicale.url).calendars()


async def test_something_new_goes_to_the_chosen_calendar(radicale: Radicale):
    radicale.clear()
    radicale.calendar("a", "First")
    radicale.calendar("work", "Büro")

    assert await server(radicale.url).new_place("u", "", "VEVENT") == "/ana/work/u.ics"
    assert await server(radicale.url, "first").new_place("u", "", "VTODO") == "/ana/a/u.ics"
    asked = server(radicale.url)
    assert asked.calendar_of(await asked.new_place("u", "First", "VEVENT")) == "First"


async def test_a_page_that_is_no_calendar_server_says_so(radicale: Radicale):
    with pytest.raises(ProviderError, match=r"check calendar\.url"):
        await server(f"{radicale.url}.web/").calendars()


class Pretender:
    """Answers with a certificate that nobody vouches for, and keeps what it is told."""

    def __init__(self, folder: Path) -> None:
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
        subprocess.run([*made, "-keyout", "key.pem", "-out", "cert.pem"], cwd=folder, check=True, capture_output=True)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.heard = b""
        self.ended = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            client, _ = self._listening.accept()
            with client, self._context.wrap_socket(client, server_side=True) as safe:
                self.heard += safe.recv(65536)
        self.ended.set()

    def close(self) -> None:
        """Listen no longer."""
        self._listening.close()


@pytest.fixture
def pretender(tmp_path: Path) -> Iterator[Pretender]:
    made = Pretender(tmp_path)
    yield made
    made.close()


@pytest.mark.needs("openssl")
@pytest.mark.req("AU-04")
async def test_a_server_that_nobody_vouches_for_hears_no_password(pretender: Pretender):
    settings = {"url": f"https://localhost:{pretender.port}/", "user": "ana"}
    environ = {"SAYSO_CALENDAR_PASSWORD": "s3cret"}
    asked = build(BackendContext(settings, "/home/ana", "/x", (), FakeClock(), NumberedIds(), environ=environ))

    no = await refusal_of(asked.reads.reminders())

    assert "cannot prove that it is" in str(no)
    assert pretender.ended.wait(10)
    assert pretender.heard == b""
