"""The calendar server of a domain is known, named by its records, or where its well-known address leads."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from ssl import Purpose, create_default_context

import pytest

from sayso.providers.accounts.records import Names
from sayso.providers.calendar.caldav.finding import ELSEWHERE, HINTS, KNOWN, Found, found_for, sent_to
from tests.mail_env.certificates import certificate_of
from tests.mail_env.name_server import name_server

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
        names = Names(resolver)

        assert found_for("X.org", names) == Found("https://cal.x.org/dav/", "named by the SRV records of x.org")
        assert found_for("y.org", names) == Found("https://cal.y.org:8443/", "named by the SRV records of y.org")


def test_large_providers_are_known():
    with name_server({}) as resolver:
        found = found_for("icloud.com", Names(resolver))

    assert found == Found(KNOWN["icloud.com"], "known of iCloud")
    assert "app-specific password" in HINTS["caldav.icloud.com"]
    assert "vdirsyncer" in ELSEWHERE["gmail.com"]


@pytest.mark.needs("openssl")
def test_a_well_known_address_leads_where_it_is_safe_to_go(leading: str):
    found = {place: sent_to(f"{leading}{place}") for place in PLACES}

    assert found == {
        "/away": "https://cal.example.org/dav/",
        "/near": f"{leading}/dav/",
        "/open": "",
        "/named": "",
        "/itself": f"{leading}/itself",
        "/page": "",
    }
    assert sent_to(leading.replace("localhost", "127.0.0.1")) == ""
