"""A password is sent only to the server that the settings name, never in the open, and a domain leads to its server."""

import html
import re
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from ssl import Purpose, create_default_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.dns import DnsRecords
from sayso.providers.accounts.keyring import KeyringEntry
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
from sayso.providers.calendar.caldav.discovery import (
    ELSEWHERE,
    HINTS,
    KNOWN,
    AccountPassword,
    FoundServer,
    find_server,
    follow_redirect,
)
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import refusal_of
from tests.desktop_env.browser import serving
from tests.desktop_env.radicale import USER, Radicale, password
from tests.mail_env.name_server import name_server
from tests.patience import patience

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
        *("http://cal.example.org/", "http://127.0.0.1.example.org/", "https://ana:x@cal.example.org/"),
        *("ftp://x/", "https://", "https://x:99999/", "nonsense"),
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


@pytest.fixture
def pretender(certificate: Path) -> Iterator[tuple[int, threading.Thread, list[bytes]]]:
    """Give the port of a server whose certificate nobody vouches for, what serves there once, and what it is told."""
    context, heard = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), list[bytes]()
    context.load_cert_chain(certificate)

    def serve() -> None:
        with suppress(OSError):
            client, _ = listening.accept()
            with client, context.wrap_socket(client, server_side=True) as safe:
                heard.append(safe.recv(65536))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=serve)
        serving.start()
        yield listening.getsockname()[1], serving, heard
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        serving.join(patience())


@pytest.mark.needs("openssl")
@pytest.mark.req("AU-04")
async def test_a_server_that_nobody_vouches_for_hears_no_password(pretender: tuple[int, threading.Thread, list[bytes]]):
    port, serving, heard = pretender
    settings = {"url": f"https://localhost:{port}/", "user": "ana"}
    environ = {"SAYSO_CALENDAR_PASSWORD": "s3cret"}
    asked = build(BackendContext(settings, "/home/ana", "/x", (), FakeClock(), NumberedIds(), environ=environ))

    no = await refusal_of(asked.reads.reminders())

    serving.join(patience())
    assert "cannot prove that it is" in str(no)
    assert heard == []


def secret(*command: str, word: str = "") -> AccountPassword:
    settings = {"password_command": list(command)} if command else {}
    environ = {"PATH": "/usr/bin:/bin", **({"SAYSO_CALENDAR_PASSWORD": word} if word else {})}
    ground = BackendContext(settings, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ)
    return AccountPassword(ground, KeyringEntry("calendar", "cal.x.test", "ana"))


async def test_the_environment_comes_first():
    assert await secret("false", word=" x ").password() == " x "


async def test_a_program_prints_it_and_is_asked_once(tmp_path: object):
    code = (
        f"import pathlib; p = pathlib.Path({str(tmp_path)!r}, 'n'); f = p.open('a'); f.write('x'); f.close();"
        "print('pw', p.read_text())"
    )
    asked = secret(sys.executable, "-c", code)

    assert [await asked.password(), await asked.password()] == ["pw x", "pw x"]


@pytest.mark.req("AU-04")
async def test_a_program_that_fails_is_told_without_what_it_printed():
    with pytest.raises(SetupError, match="password_command") as refused:
        await secret(sys.executable, "-c", "print('half-a-secret'); raise SystemExit(3)").password()

    assert "half-a-secret" not in str(refused.value)


async def test_without_any_it_is_said_how_to_give_one():
    with pytest.raises(SetupError, match="SAYSO_CALENDAR_PASSWORD"):
        await secret().password()


SRV = {
    ("_caldavs._tcp.x.org", "SRV"): ["0 0 443 cal.x.org."],
    ("_caldavs._tcp.x.org", "TXT"): ['"path=/dav/"'],
    ("_caldavs._tcp.y.org", "SRV"): ["0 0 8443 cal.y.org."],
}
PLACES = {
    "/away": (301, "https://cal.example.org/dav/"),
    "/near": (308, "/dav/"),
    "/open": (302, "http://cal.example.org/"),
    "/named": (302, "https://ana:word@cal.example.org/"),
    "/itself": (401, ""),
    "/page": (200, ""),
}


class Leading(BaseHTTPRequestHandler):
    def do_PROPFIND(self) -> None:
        code, where = PLACES[self.path]
        assert "Authorization" not in self.headers
        self.send_response(code)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, code: object = "", size: object = "") -> None:
        pass


@pytest.fixture
def leading(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the address of a server that leads elsewhere."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = create_default_context(Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with HTTPServer(("127.0.0.1", 0), Leading) as there:
        there.socket = context.wrap_socket(there.socket, server_side=True)
        serving = threading.Thread(target=there.serve_forever, args=(0.02,))
        serving.start()
        yield f"https://localhost:{there.server_address[1]}"
        there.shutdown()
        serving.join(5)


def test_records_name_server_port_and_path():
    with name_server(SRV) as resolver:
        names = DnsRecords(resolver)

        assert find_server("X.org", names) == FoundServer("https://cal.x.org/dav/", "named by the SRV records of x.org")
        assert find_server("y.org", names) == FoundServer(
            "https://cal.y.org:8443/", "named by the SRV records of y.org"
        )


def test_large_providers_are_known():
    with name_server({}) as resolver:
        found = find_server("icloud.com", DnsRecords(resolver))

    assert found == FoundServer(KNOWN["icloud.com"], "known of iCloud")
    assert "app-specific password" in HINTS["caldav.icloud.com"]
    assert "vdirsyncer" in ELSEWHERE["gmail.com"]


@pytest.mark.needs("openssl")
def test_a_well_known_address_leads_where_it_is_safe_to_go(leading: str):
    found = {place: follow_redirect(f"{leading}{place}") for place in PLACES}

    assert found == {
        "/away": "https://cal.example.org/dav/",
        "/near": f"{leading}/dav/",
        "/open": "",
        "/named": "",
        "/itself": f"{leading}/itself",
        "/page": "",
    }
    assert follow_redirect(leading.replace("localhost", "127.0.0.1")) == ""
