"""Mail is found in a Maildir by its id wherever it is, and lists are told apart."""

import os
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.mail.maildir.files import MailFolder
from sayso.providers.mail.maildir.reads import (
    head_bytes,
    list_files,
    message_id_of,
    newest,
    read_head,
    read_query_message,
    whole_bytes,
    with_stat,
)
from sayso.providers.mail.query.parser import QueryContext, parse
from sayso.providers.mail.store import Criteria, DatedCriteria
from sayso.testing.mail import MESSAGES, NEW, OLD, READ
from tests.providers.mail.letters import deliver, over, planted


def test_messages_that_are_marked_as_deleted_are_gone(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Message-ID: <a@x>\n\n", 10, "S")
    deliver(place, "2.b", b"Message-ID: <b@x>\n\n", 20)
    deliver(place, "3.c", b"Message-ID: <c@x>\n\n", 30, "ST")
    (place / "cur" / ".hidden").touch()

    found = newest(list_files(MailFolder("inbox", place)))

    assert [message_id_of(one) for one in found] == ["<b@x>", "<a@x>"]


def test_a_head_ends_at_the_first_empty_line(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Message-ID: <a@x>\r\nSubject: s\r\n\r\nSubject: body\r\n" + b"x" * 2**20, 10)
    (entry,) = newest(list_files(MailFolder("inbox", place)))

    assert head_bytes(entry) == b"Message-ID: <a@x>\nSubject: s"
    assert (read_head(entry).subject, read_head(entry).size) == ("s", 2**20 + 48)


def test_what_is_gone_meanwhile_is_left_out(tmp_path: Path):
    place = planted(tmp_path, [])
    file = deliver(place, "1.a", b"\n", 10)
    (entry,) = list_files(MailFolder("inbox", place))

    file.unlink()

    assert with_stat(entry) is None


def test_what_is_no_file_is_no_message_and_nobody_waits_for_it(tmp_path: Path):
    place = planted(tmp_path, MESSAGES)
    os.mkfifo(place / "cur" / "1.M1P1.host:2,S")
    (place / "cur" / "2.M2P1.host:2,S").mkdir()
    (place / "cur" / "3.M3P1.host:2,S").symlink_to(tmp_path / "nowhere")

    assert len(list(list_files(MailFolder("inbox", place)))) == len(MESSAGES)


def test_a_link_in_the_place_of_a_message_shows_nothing_of_what_it_leads_to(tmp_path: Path):
    place = planted(tmp_path, [])
    (tmp_path / "secret").write_text("Subject: s\n\nsecret")
    file = deliver(place, "1.a", b"Subject: s\n\nx", 10)
    (entry,) = list_files(MailFolder("inbox", place))

    file.unlink()
    file.symlink_to(tmp_path / "secret")

    assert list(list_files(MailFolder("inbox", place))) == []
    for look in (head_bytes, whole_bytes):
        with pytest.raises(FileNotFoundError):
            look(entry)


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
    (entry,) = newest(list_files(MailFolder("inbox", place)))

    found = read_query_message(entry, parse(query, QueryContext(datetime(2026, 3, 1, tzinfo=UTC), UTC)))

    assert (found.subject, found.bcc, found.body.strip(), found.attachments) == seen


def test_a_size_is_counted_as_a_server_counts_it(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Subject: x\r\n\nline\nline\n", 10)
    (entry,) = newest(list_files(MailFolder("inbox", place)))

    found = read_query_message(entry, parse("larger:5", QueryContext(datetime(2026, 3, 1, tzinfo=UTC), UTC)))

    assert found.size == len(b"Subject: x\r\n\r\nline\r\nline\r\n")


async def test_where_there_is_no_maildir_there_is_no_mail(tmp_path: Path):
    reads = over(tmp_path / "none").reads

    assert await reads.inbox(9, include_read=True) == ()
    assert await reads.get(("<a@x>",)) == ()
    assert not (tmp_path / "none").exists()


async def test_a_message_is_found_in_another_folder(tmp_path: Path):
    planted(tmp_path, [NEW])
    planted(tmp_path, [OLD], ".Lists.sayso")

    (found,) = await over(tmp_path).reads.get((OLD.message_id,))

    assert (found.mailbox, found.subject) == ("Lists/sayso", "Invoice 1")


async def test_a_message_that_another_program_moved_is_found_again(tmp_path: Path):
    place = planted(tmp_path, [NEW])
    planted(tmp_path, [], ".Archive")
    reads = over(tmp_path).reads
    (seen,) = await reads.inbox(9, include_read=True)
    (file,) = (place / "new").iterdir()
    file.rename(tmp_path / ".Archive" / "cur" / f"{file.name}:2,S")

    (found,) = await reads.heads((seen.message_id,))

    assert (found.mailbox, found.flags) == ("archive", ("read",))


@pytest.mark.req("ML-08")
async def test_an_id_that_two_messages_have_is_not_guessed(tmp_path: Path):
    place = planted(tmp_path, [NEW])
    deliver(place, "9.spoofed", b"Message-ID: <new@x.test>\nSubject: Spoofed\n\n", 99)

    with pytest.raises(ProposalError, match=r"2 messages in “inbox”") as refused:
        await over(tmp_path).reads.heads((NEW.message_id,))

    assert refused.value.code == "target.ambiguous"
    (meant,) = [one.id for one in refused.value.candidates if "spoofed" in one.id]
    (found,) = await over(tmp_path).reads.heads((meant,))
    assert (found.message_id, found.subject) == (meant, "Spoofed")


async def test_messages_without_an_id_go_by_their_places(tmp_path: Path):
    place = planted(tmp_path, [])
    deliver(place, "1.a", b"Subject: one\n\n", 10)
    deliver(place, "2.b", b"Subject: two\n\n", 20)
    reads = over(tmp_path).reads

    listed = await reads.inbox(9, include_read=True)

    assert [one.subject for one in listed] == ["two", "one"]
    assert [one.subject for one in await reads.get(tuple(one.message_id for one in listed))] == ["two", "one"]


async def test_trash_and_junk_are_not_searched(tmp_path: Path):
    planted(tmp_path, [NEW])
    planted(tmp_path, [OLD], ".Trash")
    planted(tmp_path, [READ], ".Spam")

    found = await over(tmp_path).reads.search(DatedCriteria(Criteria()))

    assert [one.message_id for one in found] == [NEW.message_id]
