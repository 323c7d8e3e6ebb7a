"""Which account it is stands in the settings; its password never does."""

import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from imaplib import IMAP4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.mail.account import VARIABLE, ConnectionProtection, ImapAccount, SignIn, account_of, secret_of
from sayso.providers.mail.imap.client import ImapSession, SearchText, close_connection, connect, numbers, sets
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.desktop_env.fixtures import session as private_session
from tests.desktop_env.session import NOBODY
from tests.mail_env.dovecot import WORD, Accounts, guarded


def ground(environ: dict[str, str] | None = None, /, **settings: object) -> BackendContext:
    known: dict[str, object] = {"host": "mail.x.test", "user": "ana"}
    return BackendContext({**known, **settings}, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ or {})


@pytest.mark.parametrize(
    ("settings", "protection", "port"),
    [
        ({}, "tls", 993),
        ({"tls": True}, "tls", 993),
        ({"port": 143}, "starttls", 143),
        ({"tls": "starttls"}, "starttls", 143),
        ({"tls": True, "port": 143}, "starttls", 143),
        ({"tls": False}, "plain", 143),
        ({"host": "127.0.0.1", "port": 1143}, "loopback", 1143),
        ({"host": "localhost"}, "tls", 993),
        ({"port": 1143}, "tls", 1143),
    ],
    ids=str,
)
def test_a_connection_is_protected_unless_it_stays_here_or_is_set_otherwise(
    settings: dict[str, object], protection: ConnectionProtection, port: int
):
    account = account_of(ground(**settings))

    assert (account.protection, account.port) == (protection, port)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"host": ""}, "“host”"), ({"user": ""}, "“user”"), ({"auth": "magic"}, "magic"), ({"tls": "maybe"}, "maybe")],
    ids=str,
)
def test_what_is_missing_or_wrong_is_named(settings: dict[str, object], said: str):
    with pytest.raises(SetupError, match=said):
        account_of(ground(**settings))


@pytest.mark.req("AU-04")
async def test_a_password_comes_from_the_environment_or_a_program():
    assert await secret_of(ground({VARIABLE: "s3cret"})) == "s3cret"
    assert await secret_of(ground({"PATH": "/usr/bin:/bin"}, password_command=["printf", "s3cret\\nmore"])) == "s3cret"


@pytest.mark.req("AU-04")
async def test_nothing_that_the_program_said_is_repeated():
    wrong = ground({"PATH": "/usr/bin:/bin"}, password_command=["sh", "-c", "echo s3cret; echo s3cret >&2; exit 3"])

    with pytest.raises(SetupError, match="ended with 3") as refused:
        await secret_of(wrong)

    assert "s3cret" not in str(refused.value)


async def test_without_a_password_the_ways_to_give_one_are_named():
    with pytest.raises(SetupError, match="SAYSO_MAIL_PASSWORD, or let password_command"):
        await secret_of(ground())


@given(st.lists(st.integers(1, 10_000_000), min_size=1, max_size=3000))
def test_uids_come_back_from_their_sets_and_no_set_is_too_long(uids: list[int]):
    said = list(sets(uids))

    assert [uid for part in said for uid in numbers(part)] == sorted(set(uids))
    assert all(len(part) < 8000 for part in said)


GOOD = "t0ken-of-the-box"
OAUTH = """
auth_mechanisms = plain login xoauth2 oauthbearer
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {file}
}}
"""


@pytest.fixture(scope="module")
def safe() -> Iterator[Accounts]:
    with guarded("mail.sayso.test") as there:
        yield there


def account(
    server: Accounts, port: int, protection: ConnectionProtection, host: str = "localhost", *, trusted: bool = True
) -> ImapAccount:
    certificates = str(server.session.home / "cert.pem") if trusted else ""
    return ImapAccount(host, port, server.person(), protection, "password", certificates)


@contextmanager
def tokens() -> Generator[int]:
    """Give the port of a service that says which tokens are good."""

    class Says(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            good = GOOD in self.path
            self.send_response(200 if good else 401)
            self.end_headers()
            self.wfile.write(b'{"email": "ana@example.test"}' if good else b"{}")

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Says) as there:
        thread = threading.Thread(target=there.serve_forever)
        thread.start()
        yield there.server_address[1]
        there.shutdown()
        thread.join(5)


@contextmanager
def listening(*answers: bytes) -> Generator[tuple[int, list[bytes]]]:
    """Give the port of a server that greets, answers each line it hears (TAG is the line's), and what it heard."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as there:

        def serve() -> None:
            client, _ = there.accept()
            with client, client.makefile("rb") as lines:
                client.sendall(b"* OK hello\r\n")
                for answer, line in zip(answers, lines, strict=False):
                    heard.append(line)
                    client.sendall(answer.replace(b"TAG", line.split()[0]))

        thread = threading.Thread(target=serve)
        thread.start()
        yield there.getsockname()[1], heard
        thread.join(5)


@pytest.mark.req("ML-10")
@pytest.mark.needs("dovecot", "openssl")
@pytest.mark.parametrize("protection", ["tls", "starttls"])
@pytest.mark.parametrize(
    ("trusted", "why"),
    [(False, "signed by itself"), (True, "for another name")],
    ids=["nobody trusts it", "other name"],
)
def test_a_server_that_cannot_show_who_it_is_gets_no_password(
    safe: Accounts, protection: ConnectionProtection, trusted: bool, why: str
):
    port = safe.tls_port if protection == "tls" else safe.port

    with pytest.raises(SetupError, match="no password was sent") as refused:
        connect(account(safe, port, protection, trusted=trusted), WORD)

    assert why in str(refused.value)
    assert WORD not in str(refused.value)


@pytest.mark.req("ML-10")
def test_a_server_whose_starttls_was_stripped_gets_no_password():
    offers = b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nTAG OK done\r\n"

    with listening(offers, offers) as (port, heard), pytest.raises(SetupError, match="offers no STARTTLS"):
        connect(ImapAccount("127.0.0.1", port, "ana", "starttls", "password"), WORD)

    assert heard
    assert not any(b"LOGIN" in line or b"AUTHENTICATE" in line or WORD.encode() in line for line in heard)


@pytest.mark.req("AU-04")
@pytest.mark.needs("dovecot")
def test_a_wrong_password_is_said_to_be_wrong_and_not_repeated(server: Accounts):
    with pytest.raises(SetupError, match="did not let") as refused:
        connect(account(server, server.port, "loopback", "127.0.0.1", trusted=False), "wr0ng-s3cret")

    assert "wr0ng" not in str(refused.value)
    assert "wr0ng" not in repr(refused.value.__context__ or "")


@pytest.fixture(scope="module")
def of_tokens() -> Iterator[Accounts]:
    """Give a server that lets in whoever has the token."""
    with tokens() as port, private_session("dovecot", user=NOBODY) as made:
        (made.home / "oauth2").write_text(
            f"tokeninfo_url = http://127.0.0.1:{port}/?token=\nusername_attribute = email\n"
        )
        yield Accounts(made, OAUTH.format(file=made.home / "oauth2"))


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("way", ["xoauth2", "oauthbearer"])
def test_a_token_signs_in_and_a_bad_one_does_not(of_tokens: Accounts, way: SignIn):
    there = ImapAccount("127.0.0.1", of_tokens.port, "ana@example.test", "loopback", way)

    session = connect(there, GOOD)

    assert session.folder_status("INBOX", ["MESSAGES"]) == {b"MESSAGES": 0}
    close_connection(session)
    with pytest.raises(SetupError, match="did not let"):
        connect(there, "bad-token")


def test_what_does_not_answer_is_named():
    with socket.create_server(("127.0.0.1", 0)) as there:
        port = there.getsockname()[1]

    with pytest.raises(SaysoError, match=f"127.0.0.1:{port} cannot be reached"):
        connect(ImapAccount("127.0.0.1", port, "ana", "loopback", "password"), WORD)


TEXTS = ['a" "b', "x) OR ALL (", "{3}", "a{3+}", "\\", '"', "ünï", "* OK", "NIL", "%", "other"]


@pytest.mark.req("ML-07")
@pytest.mark.needs("dovecot")
def test_a_text_is_one_text_whatever_is_in_it(server: Accounts):
    letters = [(f"Subject: {text}\r\nX: y\r\n\r\nbody\r\n".encode(), 10, "") for text in TEXTS]
    session = signed_in(server, server.person(letters))
    session.select_folder("INBOX", readonly=True)

    found = {text: session.search_uids([b"SUBJECT", SearchText(text.encode())]) for text in ["", *TEXTS]}

    assert found == {text: [uid for uid, one in enumerate(TEXTS, 1) if text in one] for text in ["", *TEXTS]}
    close_connection(session)


def signed_in(server: Accounts, person: str) -> ImapSession:
    return connect(ImapAccount("127.0.0.1", server.port, person, "loopback", "password"), WORD)


@pytest.mark.needs("dovecot")
def test_a_mailbox_that_is_open_is_not_opened_again_and_what_is_new_is_seen(server: Accounts):
    person = server.person([(b"Subject: one\r\n\r\n", 10, ""), (b"Subject: two\r\n\r\n", 20, "")])
    session = signed_in(server, person)
    first = session.select_mailbox("INBOX", writing=False)
    opened = first[b"EXISTS"]

    server.put(person, [(b"Subject: three\r\n\r\n", 30, "")])
    came = session.select_mailbox("INBOX", writing=False)
    other = server.signed_in(person)
    other.select("INBOX")
    other.store("1:2", "+FLAGS.SILENT", r"(\Deleted)")
    other.expunge()
    gone = session.select_mailbox("INBOX", writing=False)
    other.logout()

    assert [opened, came[b"EXISTS"], gone[b"EXISTS"]] == [2, 3, 1]
    assert came.keys() == first.keys()
    assert session.search_uids([b"1:1"]) == [3]
    close_connection(session)


@pytest.mark.needs("dovecot")
def test_a_mailbox_is_opened_anew_for_writing_for_new_keywords_and_for_another(server: Accounts):
    person = server.person([(b"Subject: one\r\n\r\n", 10, "")])
    session = signed_in(server, person)

    looked = session.select_mailbox("INBOX", writing=False)
    wrote = session.select_mailbox("INBOX", writing=True)
    session.add_flags([1], [b"urgent"])
    labelled = session.select_mailbox("INBOX", writing=True)
    session.select_mailbox("Archive", writing=False)

    assert b"READ-WRITE" not in looked
    assert b"READ-WRITE" in wrote
    assert b"urgent" not in str(wrote[b"FLAGS"]).encode()
    assert b"urgent" in str(labelled[b"FLAGS"]).encode()
    assert session.open_name == "Archive"
    close_connection(session)


@pytest.mark.needs("dovecot")
def test_a_mailbox_that_cannot_be_opened_leaves_none_open(server: Accounts):
    session = signed_in(server, server.person())
    session.select_mailbox("INBOX", writing=False)

    with pytest.raises(IMAP4.error):
        session.select_mailbox("No such thing", writing=False)

    assert not session.open_name
    assert session.select_mailbox("INBOX", writing=False)[b"EXISTS"] == 0
    close_connection(session)


@pytest.mark.needs("dovecot")
def test_all_mailboxes_are_counted_in_one_exchange_whatever_they_are_called(server: Accounts):
    person = server.person([(b"Subject: one\r\n\r\n", 10, "")])
    session = signed_in(server, person)
    for name in ("Entwürfe", "two words", 'a "quoted" one', "(MESSAGES 7)"):
        session.create_folder(name)
        session.append(name, b"Subject: x\r\n\r\n")

    counts = session.message_counts()

    there = {name: counts.get(name) for name in ("INBOX", "Archive", "Entwürfe", "two words", "(MESSAGES 7)")}
    assert there == {"INBOX": 1, "Archive": 0, "Entwürfe": 1, "two words": 1, "(MESSAGES 7)": 1}
    assert counts.get('a "quoted" one') in {1, None}
    close_connection(session)
