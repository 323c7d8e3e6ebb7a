"""Mail in a Maildir behaves as any other, leaves folders that other programs read, and survives a crash."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sayso.core.ports import Backend
from sayso.providers.mail.store import Message
from sayso.testing.mail import MailSuite
from tests.providers.mail.maildir.places import over, planted


class TestMaildir(MailSuite):
    """The suite on a real folder."""

    @pytest.fixture(autouse=True)
    def _root(self, tmp_path: Path) -> None:
        self.path = tmp_path
        self.made = 0

    def make(self, messages: Sequence[Message]) -> Backend:
        self.made += 1
        root = self.path / f"mail-{self.made}"
        planted(root, messages)
        return over(root)
