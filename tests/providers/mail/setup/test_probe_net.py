"""A file is had from who can prove a name, and a mail server counts when it can, or greets as one."""

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sayso.providers.mail.account_setup import Endpoint, fetch_text, server_answers, this_network
from tests.desktop_env.ports import free_port
from tests.mail_env.certificates import certificate_of
from tests.mail_env.smtp import smtp

pytestmark = pytest.mark.needs("openssl")


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response({"/there": 200, "/moved": 302}.get(self.path, 404))
        self.send_header("Location", "/there")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_request(self, code: object = "", size: object = "") -> None:
        pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate of “localhost”."""
    return certificate_of("localhost", tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def page(certificate: Path) -> Iterator[str]:
    """Return the address of a server that proves that it is “localhost” to who trusts its certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with HTTPServer(("127.0.0.1", 0), Page) as there:
        there.socket = context.wrap_socket(there.socket, server_side=True)
        serving = threading.Thread(target=there.serve_forever, args=(0.05,))
        serving.start()
        yield f"https://localhost:{there.server_address[1]}"
        there.shutdown()
        serving.join(5)


def test_a_file_is_had_where_it_is_and_nowhere_else(page: str, certificate: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    assert fetch_text(f"{page}/there") == b"hello"
    assert fetch_text(f"{page}/moved") == b""
    assert fetch_text(f"{page}/none") == b""


def test_a_server_that_proves_nothing_or_is_not_there_says_nothing(page: str):
    assert fetch_text(f"{page}/there") == b""
    assert fetch_text(f"https://127.0.0.1:{free_port()}/") == b""


def test_a_mail_server_answers_when_it_greets_or_proves_its_name(certificate: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with smtp() as plain, smtp(tls=context) as safe:
        assert server_answers(Endpoint("localhost", plain.port, "starttls"))
        assert server_answers(Endpoint("localhost", safe.port, "tls"))
        assert not server_answers(Endpoint("127.0.0.1", safe.port, "tls"))

    assert not server_answers(Endpoint("127.0.0.1", free_port(), "starttls"))


def test_the_net_of_this_computer_is_asked_by_these():
    assert (this_network().fetch_text, this_network().server_answers) == (fetch_text, server_answers)
