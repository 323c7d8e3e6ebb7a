"""A message is what its headers and its place say of it."""

from datetime import datetime, timedelta, timezone

import pytest

from sayso.providers.mail.heads import Beside, flags_of, head_of
from sayso.providers.mail.mime.headers import headers_of
from sayso.providers.mail.places import Place

BESIDE = Beside(Place("inbox", "7", 3), datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1))), (), (), 42)


@pytest.mark.req("S3-38")
def test_every_field_in_use_is_there():
    head = b"Message-ID: <a@x>\nFrom: =?utf-8?q?J=C3=BCrgen?= <j@x.test>\nSubject: Hi\n there\nTo: a@x, b@x\n"

    message = head_of(headers_of(head), BESIDE)

    assert (message.message_id, message.from_address, message.subject) == ("<a@x>", "Jürgen <j@x.test>", "Hi there")
    assert (message.received_at, message.to) == ("2026-03-01T11:00:00Z", ("a@x", "b@x"))


@pytest.mark.parametrize("said", [b"", b"<a b@x>", b"no brackets", b"<\xff@x>", b"<" + b"a" * 600 + b"@x>"])
def test_a_message_id_that_no_line_can_hold_is_none(said: bytes):
    message = head_of(headers_of(b"Message-ID: " + said + b"\n"), BESIDE)

    assert message.message_id == "place:inbox/3/7"


def test_flags_are_named():
    assert flags_of(starred=True, read=True) == ("starred", "read")
