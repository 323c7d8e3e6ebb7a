"""Servers are typed as a person writes them, and none is spoken to in the open that is not here."""

import pytest

from sayso.core.encoding import Json
from sayso.core.ports import BackendContext
from sayso.providers.mail.account_setup import MailEndpoint, MailServers
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.mail_account import ask_for_servers, now_set
from sayso.testing.fakes import FakeClock
from tests.surfaces.cli.interviews import Typist

ADDRESS = "ana@x.org"
SMTP = ("to send by", b"\n")
USUAL = MailEndpoint("smtp.x.org", 465, "tls")


def ground(**settings: Json) -> BackendContext:
    return BackendContext(settings, "/h", "/h/s", (), FakeClock(), RandomIds())


@pytest.mark.parametrize(
    ("said", "way"),
    [
        ("", MailEndpoint("imap.x.org", 993, "tls")),
        ("in.x.org", MailEndpoint("in.x.org", 993, "tls")),
        ("in.x.org:143", MailEndpoint("in.x.org", 143, "starttls")),
        ("[::1]:993", MailEndpoint("::1", 993, "tls")),
        ("::1", MailEndpoint("::1", 993, "tls")),
    ],
)
def test_a_name_with_or_without_port_is_a_server(typist: Typist, said: str, way: MailEndpoint):
    thread = typist.types(("to read from", f"{said}\n".encode()), SMTP)

    assert ask_for_servers(typist.interview, ground(), ADDRESS) == MailServers(way, USUAL)
    thread.join(10)


@pytest.mark.parametrize("said", ["a b", "in.x.org:0", "in.x.org:70000", "in.x.org:x", "https://in.x.org"])
def test_what_is_no_server_is_asked_for_again(typist: Typist, said: str):
    thread = typist.types(
        ("to read from", f"{said}\n".encode()), ("That is no name", b""), ("to read from", b"\n"), SMTP
    )

    assert ask_for_servers(typist.interview, ground(), ADDRESS).imap == MailEndpoint("imap.x.org", 993, "tls")
    thread.join(10)


def test_only_here_or_where_it_is_set_may_a_way_be_open(typist: Typist):
    port = "How is port 1143 protected"
    refused = typist.types(
        ("to read from", b"in.x.org:1143\n"),
        (port, b"none\n"),
        ("Without encryption", b""),
        (port, b"\n"),
        SMTP,
    )
    assert ask_for_servers(typist.interview, ground(), ADDRESS).imap == MailEndpoint("in.x.org", 1143, "tls")
    refused.join(10)

    allowed = typist.types(
        ("to read from", b"in.x.org:143\n"), ("How is port 143", b"none\n"), SMTP, ("How is port 465", b"tls\n")
    )
    assert ask_for_servers(typist.interview, ground(tls=False), ADDRESS).imap == MailEndpoint("in.x.org", 143, "none")
    allowed.join(10)


def test_servers_that_are_set_may_be_kept(typist: Typist):
    settings: dict[str, Json] = {"host": "in.x.org", "user": "ana", "smtp_host": "out.x.org", "address": ADDRESS}
    thread = typist.types(("Keep them? [Y/n]", b"\n"), ("Keep them? [Y/n]", b"n\n"))

    keeping = now_set(typist.interview, ground(**settings))
    other = now_set(typist.interview, ground(**settings))

    thread.join(10)
    assert keeping == MailServers(MailEndpoint("in.x.org", 993, "tls"), MailEndpoint("out.x.org", 465, "tls"))
    assert other is None
    assert now_set(typist.interview, ground(host="in.x.org")) is None
