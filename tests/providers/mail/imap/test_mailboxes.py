"""Mailboxes are known by what they are for, as the server says or as they are usually called."""

from collections.abc import Sequence

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail.imap.client import Wire
from sayso.providers.mail.imap.mailboxes import Boxes, boxes_of

Listed = Sequence[tuple[tuple[bytes, ...], bytes, str]]


class Lists(Wire):
    """A server that has these mailboxes."""

    def __init__(self, listed: Listed) -> None:
        self.listed = listed

    def list_folders(
        self, directory: str = "", pattern: str = "*"
    ) -> list[tuple[tuple[bytes, ...], bytes | None, str]]:
        return [(flags, delimiter, name) for flags, delimiter, name in self.listed]

    def has_capability(self, capability: str) -> bool:
        return False


def there(*listed: tuple[str, tuple[bytes, ...]]) -> Boxes:
    return boxes_of(Lists([(flags, b"/", name) for name, flags in listed]))


def test_what_the_server_says_counts():
    boxes = there(("INBOX", ()), ("Papierkorb", (rb"\Trash",)), ("Trash", ()), ("Work", ()))

    assert boxes.names == {"inbox": "INBOX", "trash": "Papierkorb", "Trash": "Trash", "Work": "Work"}


def test_usual_names_count_where_it_says_nothing():
    boxes = there(("INBOX", ()), ("INBOX.Sent Items", ()), ("INBOX.Drafts", ()), ("Spam", ()))

    assert boxes.names == {"inbox": "INBOX", "sent": "INBOX.Sent Items", "drafts": "INBOX.Drafts", "junk": "Spam"}


def test_where_all_mail_is_in_one_mailbox_that_is_the_archive_and_is_searched():
    boxes = there(("INBOX", ()), ("[Gmail]/All Mail", (rb"\All",)), ("[Gmail]/Trash", (rb"\Trash",)), ("Work", ()))

    assert boxes.name("archive") == "[Gmail]/All Mail"
    assert boxes.searched() == ["inbox", "archive"]


@pytest.mark.req("ML-07")
def test_a_mailbox_whose_name_would_be_a_command_is_not_there():
    boxes = there(("INBOX", ()), ("x\r\na1 DELETE INBOX", ()), ("NoMail", (rb"\Noselect",)))

    assert boxes.names == {"inbox": "INBOX"}


def test_a_mailbox_that_is_gone_is_named():
    with pytest.raises(ProviderError, match="“Work” any more"):
        there(("INBOX", ())).name("Work")
