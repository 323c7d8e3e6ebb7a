"""Mail is found in a Maildir by its id wherever it is, and lists are told apart."""

from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.mail.store import Criteria, Wanted
from sayso.testing.mail import NEW, OLD, READ
from tests.providers.mail.maildir.places import deliver, over, planted


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

    found = await over(tmp_path).reads.search(Wanted(Criteria()))

    assert [one.message_id for one in found] == [NEW.message_id]
