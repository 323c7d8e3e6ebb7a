"""Mail on a real server behaves as any other."""

from collections.abc import Iterator, Sequence

import pytest

from sayso.core.ports import Backend
from sayso.providers.mail.imap.backend import Imap
from sayso.providers.mail.store import Message
from sayso.testing.mail import MailSuite
from tests.mail_env.accounts import Accounts
from tests.providers.mail.imap.accounts import over
from tests.providers.mail.letters import mbox_of


@pytest.mark.needs("dovecot")
class TestImap(MailSuite):
    """The suite on a real server."""

    @pytest.fixture(autouse=True)
    def _server(self, server: Accounts) -> Iterator[None]:
        self.server = server
        self.made: list[Imap] = []
        yield
        for backend in self.made:
            backend.close()

    def make(self, messages: Sequence[Message]) -> Backend:
        person = self.server.person()
        self.server.put(person, mbox_of(messages))
        self.made.append(over(self.server, person))
        return self.made[-1]
