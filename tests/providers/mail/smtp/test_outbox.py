"""What a server was told is kept in mind, and nothing else of it."""

from datetime import UTC, datetime, timedelta
from os import utime
from pathlib import Path

import pytest

from sayso.core.errors import Uncertain
from sayso.providers.mail.smtp.outbox import Outbox

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_message_is_going_then_sent_and_never_going_again(tmp_path: Path):
    outbox = Outbox(tmp_path / "outbox")
    assert outbox.stage("<a@x>") is None

    outbox.going("<a@x>", NOW)
    assert outbox.stage("<a@x>") == "going"
    outbox.sent("<a@x>")

    assert outbox.stage("<a@x>") == "sent"
    assert outbox.stage("<b@x>") is None
    with pytest.raises(Uncertain, match="not sent twice"):
        outbox.going("<a@x>", NOW)


def test_of_what_was_refused_nothing_is_known(tmp_path: Path):
    outbox = Outbox(tmp_path / "outbox")
    outbox.refused("<a@x>")
    outbox.going("<a@x>", NOW)

    outbox.refused("<a@x>")

    assert outbox.stage("<a@x>") is None
    assert list((tmp_path / "outbox").iterdir()) == []


def test_what_was_sent_is_forgotten_after_a_season_and_what_is_not_known_never(tmp_path: Path):
    outbox = Outbox(tmp_path)
    for one in ("<old@x>", "<lost@x>"):
        outbox.going(one, NOW)
    outbox.sent("<old@x>")
    for file in tmp_path.iterdir():
        utime(file, (NOW.timestamp(), NOW.timestamp()))

    outbox.going("<new@x>", NOW + timedelta(days=91))

    assert [outbox.stage(one) for one in ("<old@x>", "<lost@x>", "<new@x>")] == [None, "going", "going"]


def test_its_files_are_private_and_hold_an_id_alone(tmp_path: Path):
    Outbox(tmp_path / "outbox").going("<a@x>", NOW)

    (file,) = (tmp_path / "outbox").iterdir()

    assert file.read_bytes() == b"<a@x>"
    assert file.stat().st_mode & 0o77 == 0
    assert file.parent.stat().st_mode & 0o77 == 0
