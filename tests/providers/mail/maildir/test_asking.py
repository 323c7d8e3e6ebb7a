"""A query reads of a message file no more than it looks at."""

from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from sayso.providers.mail.maildir.asking import letter
from sayso.providers.mail.maildir.folders import Folder
from sayso.providers.mail.maildir.scanning import entries, newest
from sayso.providers.mail.query.parsing import parse
from sayso.providers.mail.query.values import Asked
from tests.providers.mail.maildir.places import deliver, planted


def rich() -> bytes:
    made = EmailMessage()
    made["Subject"], made["Bcc"] = "Hi", "b@x.test"
    made.set_content("Text\n")
    made.add_attachment(b"\x00", maintype="application", subtype="pdf", filename="a.pdf")
    return made.as_bytes()


@pytest.mark.parametrize(
    ("query", "seen"),
    [
        ("is:unread", ("", (), "", ())),
        ("subject:hi", ("Hi", ("b@x.test",), "", ())),
        ("text", ("Hi", ("b@x.test",), "Text", ("a.pdf",))),
        ("filename:pdf", ("Hi", ("b@x.test",), "Text", ("a.pdf",))),
    ],
)
def test_what_a_query_looks_at_is_read(tmp_path: Path, query: str, seen: tuple[object, ...]):
    place = planted(tmp_path, [])
    deliver(place, "1.a", rich(), 10)
    (entry,) = newest(entries(Folder("inbox", place)))

    found = letter(entry, parse(query, Asked(datetime(2026, 3, 1, tzinfo=UTC), UTC)))

    assert (found.subject, found.bcc, found.body.strip(), found.attachments) == seen


def test_a_size_is_counted_as_a_server_counts_it(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Subject: x\r\n\nline\nline\n", 10)
    (entry,) = newest(entries(Folder("inbox", place)))

    found = letter(entry, parse("larger:5", Asked(datetime(2026, 3, 1, tzinfo=UTC), UTC)))

    assert found.size == len(b"Subject: x\r\n\r\nline\r\nline\r\n")
