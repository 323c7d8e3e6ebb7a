"""The way to the server is protected unless the person says otherwise, or it is this very machine."""

import pytest

from sayso.core.errors import SetupError
from sayso.providers.mail.smtp.server import Server, read_server

ADDRESS = {"address": "ana@x.test"}


@pytest.mark.req("ML-10")
@pytest.mark.parametrize(
    ("settings", "server"),
    [
        ({"smtp_host": "s.test"}, Server("s.test", 465, "tls")),
        ({"smtp_host": "s.test", "smtp_port": 465}, Server("s.test", 465, "tls")),
        ({"smtp_host": "s.test", "smtp_port": 587}, Server("s.test", 587, "starttls")),
        ({"smtp_host": "s.test", "smtp_port": 25, "tls": True}, Server("s.test", 25, "starttls")),
        ({"smtp_host": "s.test", "tls": "starttls"}, Server("s.test", 587, "starttls")),
        ({"smtp_host": "s.test", "tls": False}, Server("s.test", 587, "none")),
        ({"smtp_host": "s.test", "tls": "none", "smtp_port": 25}, Server("s.test", 25, "none")),
        ({"smtp_host": "127.0.0.1", "smtp_port": 2525}, Server("127.0.0.1", 2525, "none")),
        ({"smtp_host": "localhost", "smtp_port": 2525}, Server("localhost", 2525, "none")),
        ({"smtp_host": "localhost", "smtp_port": 2525, "tls": True}, Server("localhost", 2525, "starttls")),
        ({"smtp_host": "127.0.0.1.evil.test", "smtp_port": 25}, Server("127.0.0.1.evil.test", 25, "starttls")),
        ({"smtp_host": "s.test", "user": "ana"}, Server("s.test", 465, "tls", "ana")),
        ({"smtp_host": "s.test", "user": "ana", "auth": "xoauth2"}, Server("s.test", 465, "tls", "ana", by_token=True)),
    ],
    ids=str,
)
def test_the_settings_say_where_and_how(settings: dict[str, str | int | bool], server: Server):
    assert read_server({**ADDRESS, **settings}) == server


@pytest.mark.parametrize("settings", [{}, ADDRESS, {"smtp_host": "s.test"}], ids=str)
def test_what_is_missing_is_said_with_the_command_that_sets_it(settings: dict[str, str]):
    with pytest.raises(SetupError, match=r"mail\.smtp_host, mail\.address\); “sayso config mail” asks"):
        read_server(settings)


def test_a_protection_that_there_is_not_is_named():
    with pytest.raises(SetupError, match="ssl3"):
        read_server({**ADDRESS, "smtp_host": "s.test", "tls": "ssl3"})
