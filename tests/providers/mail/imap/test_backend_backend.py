"""Mail on a real server behaves as any other."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sayso.core.ports import Backend
from sayso.providers.mail.imap.backend import Imap
from sayso.providers.mail.store import Message
from sayso.testing.mail import MailSuite, SendingSuite
from tests.mail_env.accounts import WORD, Accounts
from tests.mail_env.smtp import Post, smtp
from tests.providers.mail.imap.accounts import over
from tests.providers.mail.letters import mbox_of


@pytest.fixture(scope="module")
def post() -> Iterator[Post]:
    """Give a server that takes mail."""
    with smtp(login=True, word=WORD) as there:
        yield there


@pytest.mark.needs("dovecot")
class TestImap(MailSuite, SendingSuite):
    """The suite on a real server, and one that takes what is sent."""

    @pytest.fixture(autouse=True)
    def _server(self, server: Accounts, post: Post, tmp_path: Path) -> Iterator[None]:
        self.server = server
        self.own, self.port = str(tmp_path / "own"), post.port
        self.made: list[Imap] = []
        yield
        for backend in self.made:
            backend.close()

    def make(self, messages: Sequence[Message]) -> Backend:
        person = self.server.person()
        self.server.put(person, mbox_of(messages))
        self.made.append(over(self.server, person, own=self.own, smtp_host="127.0.0.1", smtp_port=self.port))
        return self.made[-1]

    @pytest.mark.req("S3-32")
    async def test_the_inbox_is_listed_newest_first(self) -> None:
        await super().test_the_inbox_is_listed_newest_first()

    @pytest.mark.req("S3-36", "S3-37")
    async def test_messages_are_got_by_id(self) -> None:
        await super().test_messages_are_got_by_id()
