"""The way to a server is encrypted to the server that was meant, or nothing is said to it (ML-10)."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.providers.mail.account import Protection, SmtpServer
from sayso.providers.mail.smtp.transport import Envelope, hand_over
from tests.mail_env.certificates import certificate_of
from tests.mail_env.smtp import PASSWORD, USER, RecordingSmtp, smtp

pytestmark = pytest.mark.needs("openssl")
ENVELOPE = Envelope("a@x.test", ("b@y.test",), b"Subject: S\r\n\r\nB\r\n")


async def password() -> str:
    return PASSWORD


async def last() -> None:
    pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate of “localhost” that nobody vouches for, with its key in one file."""
    return certificate_of("localhost", tmp_path_factory.mktemp("tls"))


@pytest.fixture(params=["tls", "starttls"])
def way(request: pytest.FixtureRequest) -> Protection:
    """Return how the connection is protected."""
    return "tls" if request.param == "tls" else "starttls"


@pytest.fixture
def post(certificate: Path, way: Protection) -> Iterator[RecordingSmtp]:
    """Return a server that speaks TLS with that certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with smtp(login=True, tls=context, starttls=way == "starttls") as there:
        yield there


def said(post: RecordingSmtp) -> list[str]:
    return [one for one in post.heard if not one.startswith("EHLO")]


@pytest.mark.req("ML-10")
async def test_a_certificate_that_nobody_vouches_for_gets_no_password(post: RecordingSmtp, way: Protection):
    with pytest.raises(SetupError, match="could not prove that it is localhost"):
        await hand_over(SmtpServer("localhost", post.port, way, USER), password, ENVELOPE, last)

    assert said(post) == []


@pytest.mark.req("ML-10")
async def test_a_certificate_of_another_host_gets_no_password(
    post: RecordingSmtp, way: Protection, certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    with pytest.raises(SetupError, match=r"could not prove that it is 127\.0\.0\.1"):
        await hand_over(SmtpServer("127.0.0.1", post.port, way, USER), password, ENVELOPE, last)

    assert said(post) == []


async def test_a_server_that_proves_who_it_is_gets_the_mail(
    post: RecordingSmtp, way: Protection, certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    await hand_over(SmtpServer("localhost", post.port, way, USER), password, ENVELOPE, last)

    assert len(post.accepted) == 1


async def test_a_port_without_tls_is_told_from_one_with_it():
    with smtp() as post, pytest.raises(SetupError, match="does not speak TLS"):
        await hand_over(SmtpServer("127.0.0.1", post.port, "tls"), password, ENVELOPE, last)
