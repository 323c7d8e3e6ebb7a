"""Nobody gets a password who has not shown who they are, and texts reach the server as they are."""

import socket
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import SaysoError, SetupError
from sayso.providers.mail.imap.account import Account, Guard, Way
from sayso.providers.mail.imap.wire import Text, closed, connected, numbers, sets
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY
from tests.mail_env.accounts import WORD, Accounts, guarded

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


def account(server: Accounts, port: int, guard: Guard, host: str = "localhost", *, trusted: bool = True) -> Account:
    certificates = str(server.session.home / "cert.pem") if trusted else ""
    return Account(host, port, server.person(), guard, "password", certificates)


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
@pytest.mark.parametrize("guard", ["tls", "starttls"])
@pytest.mark.parametrize(
    ("trusted", "why"), [(False, "self-signed certificate"), (True, "mismatch")], ids=["nobody trusts it", "other name"]
)
def test_a_server_that_cannot_show_who_it_is_gets_no_password(safe: Accounts, guard: Guard, trusted: bool, why: str):
    port = safe.tls_port if guard == "tls" else safe.port

    with pytest.raises(SetupError, match="no password was sent") as refused:
        connected(account(safe, port, guard, trusted=trusted), WORD)

    assert why in str(refused.value)
    assert WORD not in str(refused.value)


@pytest.mark.req("ML-10")
def test_a_server_whose_starttls_was_stripped_gets_no_password():
    offers = b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nTAG OK done\r\n"

    with listening(offers, offers) as (port, heard), pytest.raises(SetupError, match="offers no STARTTLS"):
        connected(Account("127.0.0.1", port, "ana", "starttls", "password"), WORD)

    assert heard
    assert not any(b"LOGIN" in line or b"AUTHENTICATE" in line or WORD.encode() in line for line in heard)


@pytest.mark.req("AU-04")
@pytest.mark.needs("dovecot")
def test_a_wrong_password_is_said_to_be_wrong_and_not_repeated(server: Accounts):
    with pytest.raises(SetupError, match="did not let") as refused:
        connected(account(server, server.port, "loopback", "127.0.0.1", trusted=False), "wr0ng-s3cret")

    assert "wr0ng" not in str(refused.value)
    assert "wr0ng" not in repr(refused.value.__context__ or "")


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("way", ["xoauth2", "oauthbearer"])
def test_a_token_signs_in_and_a_bad_one_does_not(way: Way):
    with tokens() as port, session("dovecot", user=NOBODY) as made:
        (made.home / "oauth2").write_text(
            f"tokeninfo_url = http://127.0.0.1:{port}/?token=\nusername_attribute = email\n"
        )
        server = Accounts(made, OAUTH.format(file=made.home / "oauth2"))
        there = Account("127.0.0.1", server.port, "ana@example.test", "loopback", way)

        wire = connected(there, GOOD)

        assert wire.folder_status("INBOX", ["MESSAGES"]) == {b"MESSAGES": 0}
        closed(wire)
        with pytest.raises(SetupError, match="did not let"):
            connected(there, "bad-token")


def test_what_does_not_answer_is_named():
    with socket.create_server(("127.0.0.1", 0)) as there:
        port = there.getsockname()[1]

    with pytest.raises(SaysoError, match=f"127.0.0.1:{port} cannot be reached"):
        connected(Account("127.0.0.1", port, "ana", "loopback", "password"), WORD)


@pytest.mark.req("ML-07")
@pytest.mark.needs("dovecot")
@pytest.mark.parametrize(
    "text", ['a" "b', "x) OR ALL (", "{3}", "a{3+}", "\\", '"', "ünï", "* OK", "NIL", "", "%"], ids=ascii
)
def test_a_text_is_one_text_whatever_is_in_it(server: Accounts, text: str):
    person = server.person()
    letter = f"Subject: {text}\r\nX: y\r\n\r\nbody\r\n".encode()
    server.put(person, [(letter, 10, ""), (b"Subject: other\r\n\r\n", 20, "")])
    wire = connected(Account("127.0.0.1", server.port, person, "loopback", "password"), WORD)

    wire.select_folder("INBOX", readonly=True)
    found = wire.found([b"SUBJECT", Text(text.encode())])

    assert found == ([1, 2] if not text else [1])
    closed(wire)


@given(st.lists(st.integers(1, 10_000_000), min_size=1, max_size=3000))
def test_uids_come_back_from_their_sets_and_no_set_is_too_long(uids: list[int]):
    said = list(sets(uids))

    assert [uid for part in said for uid in numbers(part)] == sorted(set(uids))
    assert all(len(part) < 8000 for part in said)
