"""Of a message no more is read than is asked for."""

from pathlib import Path

from sayso.providers.mail.maildir.folders import Folder
from sayso.providers.mail.maildir.scanning import dated, entries, head, head_bytes, message_id_of, newest
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
