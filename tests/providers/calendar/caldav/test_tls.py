"""A calendar server that cannot prove who it is hears nothing from sayso."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.calendar.caldav.backend import build
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import refusal_of


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
    asked = build(Ground(settings, "/home/ana", "/x", (), FakeClock(), NumberedIds(), environ=environ))

    no = await refusal_of(asked.reads.reminders())

    assert "cannot prove that it is" in str(no)
    assert pretender.ended.wait(10)
    assert pretender.heard == b""
