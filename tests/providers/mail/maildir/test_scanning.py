"""Of a message no more is read than is asked for."""

import os
from pathlib import Path

import pytest

from sayso.providers.mail.maildir.folders import Folder
from sayso.providers.mail.maildir.scanning import dated, entries, head, head_bytes, message_id_of, newest, whole_bytes
from sayso.testing.mail import MESSAGES
from tests.providers.mail.maildir.places import deliver, planted


def test_messages_that_are_marked_as_deleted_are_gone(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Message-ID: <a@x>\n\n", 10, "S")
    deliver(place, "2.b", b"Message-ID: <b@x>\n\n", 20)
    deliver(place, "3.c", b"Message-ID: <c@x>\n\n", 30, "ST")
    (place / "cur" / ".hidden").touch()

    found = newest(entries(Folder("inbox", place)))

    assert [message_id_of(one) for one in found] == ["<b@x>", "<a@x>"]


def test_a_head_ends_at_the_first_empty_line(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Message-ID: <a@x>\r\nSubject: s\r\n\r\nSubject: body\r\n" + b"x" * 2**20, 10)
    (entry,) = newest(entries(Folder("inbox", place)))

    assert head_bytes(entry) == b"Message-ID: <a@x>\nSubject: s"
    assert (head(entry).subject, head(entry).size) == ("s", 2**20 + 48)


def test_what_is_gone_meanwhile_is_left_out(tmp_path: Path):
    place = planted(tmp_path, [])
    file = deliver(place, "1.a", b"\n", 10)
    (entry,) = entries(Folder("inbox", place))

    file.unlink()

    assert dated(entry) is None


def test_what_is_no_file_is_no_message_and_nobody_waits_for_it(tmp_path: Path):
    place = planted(tmp_path, MESSAGES)
    os.mkfifo(place / "cur" / "1.M1P1.host:2,S")
    (place / "cur" / "2.M2P1.host:2,S").mkdir()
    (place / "cur" / "3.M3P1.host:2,S").symlink_to(tmp_path / "nowhere")

    assert len(list(entries(Folder("inbox", place)))) == len(MESSAGES)


def test_a_link_in_the_place_of_a_message_shows_nothing_of_what_it_leads_to(tmp_path: Path):
    place = planted(tmp_path, [])
    (tmp_path / "secret").write_text("Subject: s\n\nsecret")
    file = deliver(place, "1.a", b"Subject: s\n\nx", 10)
    (entry,) = entries(Folder("inbox", place))

    file.unlink()
    file.symlink_to(tmp_path / "secret")

    assert list(entries(Folder("inbox", place))) == []
    for look in (head_bytes, whole_bytes):
        with pytest.raises(FileNotFoundError):
            look(entry)
