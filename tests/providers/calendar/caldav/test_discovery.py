"""The password of a calendar is asked for once."""

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from ssl import Purpose, create_default_context

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.dns import DnsRecords
from sayso.providers.accounts.keyring import KeyringEntry
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
from sayso.testing.fakes import FakeClock
from tests.mail_env.certificates import certificate_of
from tests.mail_env.name_server import name_server


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


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate of “localhost”."""
    return certificate_of("localhost", tmp_path_factory.mktemp("tls"))


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
