"""Mail is found in a Maildir by its id wherever it is, and its files are read as other programs leave them."""

import os
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError, ProviderError
from sayso.core.ports import Diagnoses
from sayso.providers.mail.maildir.files import (
    FILE,
    LOCK,
    MOST,
    FileName,
    MailFolder,
    MailFolders,
    keywords_in,
    labels_in,
    number_for,
    numbers_of,
    read_name,
)
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
from tests.fails import fails
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


async def test_where_there_is_no_maildir_it_says_so_and_not_that_there_is_no_mail(tmp_path: Path):
    reads = over(tmp_path / "none").reads

    for look in (reads.inbox(9, include_read=True), reads.query("a", 9), reads.get(("<a@x>",))):
        with fails(ProviderError, "mail.no_mailbox", match="no mailbox is set up: .* is not there"):
            await look
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("kind", "why"),
    [("file", "is not a Maildir but a file"), ("folder", "is not a Maildir: neither it nor a folder in it has a")],
)
async def test_what_is_not_a_maildir_is_not_taken_for_empty_mail(kind: str, why: str, tmp_path: Path):
    place = tmp_path / "mail"
    (place / "letters").mkdir(parents=True) if kind == "folder" else place.write_text("From a@x.test")
    backend = over(place)

    reads = backend.reads
    looks = (reads.inbox(9, include_read=True), reads.query("a", 9), reads.get(("<a@x>",)), reads.heads(("<a@x>",)))
    for look in looks:
        with fails(ProviderError, "mail.no_mailbox", match=f"no mailbox is set up: .* {why}"):
            await look
    assert isinstance(backend, Diagnoses)
    told = (await backend.capabilities())[0]
    assert (told.served, why in told.why) == ("", True)


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


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("1767.M1P2.host:2,FS", FileName("1767.M1P2.host", "FS")),
        ("1767.M1P2.host:2,", FileName("1767.M1P2.host")),
        ("1767.M1P2.host", FileName("1767.M1P2.host")),
        ("1767.M1,S=12,W=14:2,Sab", FileName("1767.M1,S=12,W=14", "Sab")),
        ("1767.host:1,experimental", FileName("1767.host")),
        (".hidden", None),
    ],
)
def test_a_name_is_taken_apart(file: str, name: FileName | None):
    assert read_name(file) == name


def test_letters_stand_in_their_order():
    name = FileName("u").with_letters({"S", "F", "a"})

    assert str(name) == "u:2,FSa"
    assert (name.flags, name.keywords) == (("starred", "read"), (0,))


def test_a_keyword_keeps_its_number(tmp_path: Path):
    (tmp_path / FILE).write_text("0 $Forwarded\n2 URGENT\nnonsense\n99 x\n")

    assert number_for(tmp_path, "urgent") == 2
    assert number_for(tmp_path, "New") == 1
    assert (tmp_path / FILE).read_text() == "0 $Forwarded\n1 New\n2 URGENT\n"
    assert labels_in(keywords_in(tmp_path), (0, 1, 2, 7)) == ("New", "URGENT")
    assert numbers_of(keywords_in(tmp_path), "Urgent") == {2}


def test_there_are_as_many_as_there_are_letters(tmp_path: Path):
    for number in range(MOST):
        number_for(tmp_path, f"label{number}")

    with fails(ProviderError, "mail.labels_full", match="26 labels"):
        number_for(tmp_path, "one more")


def test_while_another_program_writes_nothing_is_written(tmp_path: Path):
    (tmp_path / LOCK).touch()

    with pytest.raises(ProviderError, match="another program"):
        number_for(tmp_path, "New")
    assert not (tmp_path / FILE).exists()


def found(root: Path) -> dict[str, str]:
    return {one.mailbox: str(one.path.relative_to(root)) for one in MailFolders(root).all()}


def test_folders_in_dovecots_way(tmp_path: Path):
    for name in ("", ".Sent Items", ".Lists.sayso", ".Archive"):
        planted(tmp_path, [], name)
    (tmp_path / ".no mail").mkdir()

    assert found(tmp_path) == {
        "inbox": ".",
        "sent": ".Sent Items",
        "Lists/sayso": ".Lists.sayso",
        "archive": ".Archive",
    }


def test_folders_side_by_side(tmp_path: Path):
    for name in ("INBOX", "Trash", "Work"):
        planted(tmp_path, [], name)

    assert found(tmp_path) == {"inbox": "INBOX", "trash": "Trash", "Work": "Work"}
    assert MailFolders(tmp_path).make("archive").path == tmp_path / "Archive"


def test_where_there_is_nothing_nothing_is_found_and_nothing_made(tmp_path: Path):
    assert found(tmp_path / "none") == {}
    assert not (tmp_path / "none").exists()


def test_what_has_a_purpose_is_made_and_private(tmp_path: Path):
    folder = MailFolders(tmp_path / "new").make("trash")

    assert folder.path == tmp_path / "new" / ".Trash"
    assert {part.name for part in folder.path.iterdir()} == {"cur", "new", "tmp"}
    assert (folder.path / "cur").stat().st_mode & 0o077 == 0


@pytest.mark.req("ML-07")
@pytest.mark.parametrize("name", ["../escape", 'a" "b', "Work", "/etc", ""])
def test_no_other_folder_is_made(tmp_path: Path, name: str):
    with pytest.raises(ProviderError, match="nothing was done"):
        MailFolders(tmp_path).make(name)
