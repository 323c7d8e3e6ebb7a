"""A message is handed over to all or to nobody, to the server that was meant, and a broken connection is named."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.providers.mail.account import Protection, SmtpServer
from sayso.providers.mail.smtp import Envelope, hand_over
from tests.mail_env.smtp import PASSWORD, USER, Cut, RecordingSmtp, smtp

pytestmark = pytest.mark.needs("openssl")
MESSAGE = b"From: a@x.test\r\nSubject: S\r\nBcc-Like: no\r\n\r\n1\r\n.\r\n..2\r\n.QUIT\r\nMAIL FROM:<evil@x.test>\r\n"
ENVELOPE = Envelope("a@x.test", ("b@y.test", "hidden@z.test"), MESSAGE)


class Called:
    """Whether the last call before the message was made."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self) -> None:
        self.times += 1


async def password() -> str:
    return PASSWORD


async def hand(post: RecordingSmtp, called: Called, user: str = "", envelope: Envelope = ENVELOPE) -> None:
    server = SmtpServer("127.0.0.1", post.port, "none", user)
    await hand_over(server, password, envelope, called)


@pytest.mark.req("ML-02", "ML-05")
async def test_the_receiver_gets_exactly_the_bytes_once():
    called = Called()
    with smtp(login=True) as post:
        await hand(post, called, USER)

    assert post.accepted == [("a@x.test", ["b@y.test", "hidden@z.test"], MESSAGE)]
    assert called.times == 1
    assert post.heard[0] == "EHLO [127.0.0.1]"


@pytest.mark.req("ML-06")
@pytest.mark.parametrize("cut", ["EHLO", "AUTH", "MAIL", "RCPT", "DATA"])
async def test_a_cut_before_the_message_is_a_plain_no(cut: Cut):
    called = Called()
    with smtp(login=True) as post:
        post.cut = cut
        with pytest.raises(ProviderError, match="nothing was sent") as broke:
            await hand(post, called, USER)

    assert type(broke.value) is ProviderError
    assert (post.accepted, called.times) == ([], 0)


@pytest.mark.req("ML-06")
async def test_a_cut_after_the_last_dot_is_uncertain():
    with smtp() as post:
        post.cut = "dot"
        with pytest.raises(Uncertain, match="before it said whether"):
            await hand(post, Called())

    assert len(post.accepted) == 1


@pytest.mark.req("ML-06")
async def test_a_cut_after_the_answer_changes_nothing():
    with smtp() as post:
        post.cut = "250"
        await hand(post, Called())

    assert len(post.accepted) == 1


@pytest.mark.req("ML-06")
@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ({"MAIL": "451 later"}, "takes no mail from a@x.test (451 later)"),
        ({"b@y.test": "550 no such user"}, "does not take mail for b@y.test (550 no such user); nothing was sent"),
        (
            {"b@y.test": "550 no", "hidden@z.test": "452 full"},
            "does not take mail for b@y.test (550 no), hidden@z.test (452 full); nothing was sent to anybody",
        ),
        ({".": "554 spam \x1b[31m"}, "refused the mail (554 spam"),
        ({".": "451 try later"}, "refused the mail (451 try later)"),
    ],
    ids=str,
)
async def test_a_no_of_the_server_is_told_and_nobody_gets_anything(answers: dict[str, str], says: str):
    with smtp() as post:
        post.answers = answers
        with pytest.raises(ProviderError) as no:
            await hand(post, Called())

    assert says in str(no.value)
    assert "\x1b" not in str(no.value)
    assert type(no.value) is ProviderError
    assert post.accepted == []


@pytest.mark.req("ML-06")
async def test_any_kind_of_yes_is_a_yes():
    with smtp() as post:
        post.answers = {".": "251 will forward it"}
        await hand(post, Called())


@pytest.mark.req("ML-06")
async def test_an_answer_that_is_neither_yes_nor_no_is_uncertain():
    with smtp() as post:
        post.answers = {".": "354 go on"}
        with pytest.raises(Uncertain, match="did not say"):
            await hand(post, Called())


async def test_a_wrong_password_names_the_cause_and_not_the_password():
    async def wrong() -> str:
        return "not this one"

    with smtp(login=True) as post, pytest.raises(SetupError, match="app password") as no:
        await hand_over(SmtpServer("127.0.0.1", post.port, "none", USER), wrong, ENVELOPE, Called())

    assert "not this one" not in str(no.value)
    assert post.accepted == []


async def test_a_token_signs_in_where_one_is_used():
    with smtp(login=True) as post:
        server = SmtpServer("127.0.0.1", post.port, "none", USER, by_token=True)
        await hand_over(server, password, ENVELOPE, Called())

    assert "AUTH XOAUTH2" in post.heard
    assert len(post.accepted) == 1


@pytest.mark.req("ML-10")
async def test_without_the_encryption_that_is_wanted_nothing_is_said():
    with smtp(login=True) as post, pytest.raises(SetupError, match="STARTTLS"):
        await hand_over(SmtpServer("127.0.0.1", post.port, "starttls", USER), password, ENVELOPE, Called())

    assert not [one for one in post.heard if one.startswith(("AUTH", "MAIL"))]


async def test_where_nobody_listens_nothing_was_sent():
    with smtp() as post:
        port = post.port
    with pytest.raises(ProviderError, match=r"cannot be reached .*; nothing was sent"):
        await hand_over(SmtpServer("127.0.0.1", port, "none"), password, ENVELOPE, Called())


@pytest.fixture(params=["tls", "starttls"])
def way(request: pytest.FixtureRequest) -> Protection:
    """Return how the connection is protected."""
    return request.param


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
        await hand_over(SmtpServer("localhost", post.port, way, USER), password, ENVELOPE, Called())

    assert said(post) == []


@pytest.mark.req("ML-10")
async def test_a_certificate_of_another_host_gets_no_password(
    post: RecordingSmtp, way: Protection, certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    with pytest.raises(SetupError, match=r"could not prove that it is 127\.0\.0\.1"):
        await hand_over(SmtpServer("127.0.0.1", post.port, way, USER), password, ENVELOPE, Called())

    assert said(post) == []


async def test_a_server_that_proves_who_it_is_gets_the_mail(
    post: RecordingSmtp, way: Protection, certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    await hand_over(SmtpServer("localhost", post.port, way, USER), password, ENVELOPE, Called())

    assert len(post.accepted) == 1


async def test_a_port_without_tls_is_told_from_one_with_it():
    with smtp() as post, pytest.raises(SetupError, match="does not speak TLS"):
        await hand_over(SmtpServer("127.0.0.1", post.port, "tls"), password, ENVELOPE, Called())
