"""Which account it is stands in the settings; its password never does."""

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.mail.imap.account import VARIABLE, Guard, account_of, secret_of
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock


def ground(environ: dict[str, str] | None = None, /, **settings: object) -> Ground:
    known: dict[str, object] = {"host": "mail.x.test", "user": "ana"}
    return Ground({**known, **settings}, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ or {})


@pytest.mark.parametrize(
    ("settings", "guard", "port"),
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
    settings: dict[str, object], guard: Guard, port: int
):
    account = account_of(ground(**settings))

    assert (account.guard, account.port) == (guard, port)


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
