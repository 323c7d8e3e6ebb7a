"""An account is signed in to once for reading and once for sending, and what is missing is said."""

from collections.abc import Iterator

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.mail.setup.probe import NO_IDLE, try_reading, try_sending
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.mail_env.accounts import WORD, Accounts, accounts
from tests.mail_env.smtp import PASSWORD, USER, smtp

NO_IDLE_HERE = "imap_capability = IMAP4rev1 UIDPLUS MOVE"


@pytest.fixture(scope="module")
def slow_to_tell() -> Iterator[Accounts]:
    """Return a server that has no IDLE."""
    with accounts(f"protocol imap {{\n  {NO_IDLE_HERE}\n}}\n") as there:
        yield there


def ground(**settings: Json) -> Ground:
    return Ground(settings, "/h", "/h/s", (), FakeClock(), RandomIds())


@pytest.mark.needs("dovecot")
def test_a_server_without_idle_is_told_of_and_taken(slow_to_tell: Accounts):
    on = ground(host="127.0.0.1", port=slow_to_tell.port, user=slow_to_tell.person())

    assert try_reading(on, WORD, 10) == (NO_IDLE,)
    with pytest.raises(SetupError, match="did not let"):
        try_reading(on, "wrong", 10)


async def test_a_server_that_takes_mail_is_asked_and_gets_none():
    with smtp(login=True) as post:
        settings: dict[str, Json] = {"smtp_host": "127.0.0.1", "smtp_port": post.port, "user": USER, "address": USER}

        await try_sending(ground(**settings), PASSWORD, 5)

        assert post.heard[-1] == f"MAIL {USER}"
        assert post.accepted == []
        with pytest.raises(SetupError, match="did not take the password"):
            await try_sending(ground(**settings), "wrong", 5)
        with pytest.raises(SetupError, match="takes mail only from who signs in"):
            await try_sending(ground(**{**settings, "user": ""}), "", 5)
