"""The servers for the tests of these files."""

from collections.abc import Iterator

import pytest

from sayso.core.ports import BackendContext
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import Imap, build
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.mail_env.dovecot import Accounts, accounts
from tests.mail_env.gmail import Gmail, gmail
from tests.providers.mail.imap.servers import opened, planted


@pytest.fixture(scope="package")
def server() -> Iterator[Accounts]:
    """Give a server that ends with the tests of this folder."""
    with accounts() as there:
        yield there


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close the connections of a test when it ends."""
    yield
    while opened:
        opened.pop().close()


@pytest.fixture
def google() -> Iterator[Gmail]:
    """Give a server that speaks as Gmail does, with three messages."""
    with gmail() as there:
        planted(there)
        yield there


@pytest.fixture
def mail(google: Gmail) -> Iterator[Imap]:
    """Give the backend over it."""
    settings = {"host": "127.0.0.1", "port": google.port, "user": "ana@x.test"}
    ground = BackendContext(settings, "/h", "/h/.sayso", (), FakeClock(), RandomIds(), environ={VARIABLE: "s3cret"})
    made = build(ground)
    yield made
    made.close()
