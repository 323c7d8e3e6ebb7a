"""A message that has no Message-ID of its own goes by its place."""

import os
import re
import string
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError, Refused
from sayso.core.plan import CannotTell, NotDone
from sayso.core.ports import BackendContext
from sayso.providers.mail.addresses import Recipient, read_addresses, sender_of
from sayso.providers.mail.attachments import AttachmentSaver
from sayso.providers.mail.messages import (
    Metadata,
    flags_of,
    fulfils,
    head_of,
    keyword_of,
    label_of_keyword,
    labels_of,
    query_message,
    received_time,
    with_files,
)
from sayso.providers.mail.mime import MimePart, headers_of
from sayso.providers.mail.model import MailFile, RemoveSaved, SaveAttachment
from sayso.providers.mail.store import AttachmentFile, Criteria, DatedCriteria, MailPlace, Message, digest_of, place_of
from sayso.testing.fakes import FakeClock, NumberedIds

ATOM = re.compile(r"[!-~]+")
NOT_IN_ATOMS = set('(){%*"\\] ')


@given(st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable()))
def test_every_label_comes_back_from_its_keyword(label: str):
    keyword = keyword_of(label)

    assert label_of_keyword(keyword) == label
    assert ATOM.fullmatch(keyword)
    assert not NOT_IN_ATOMS & set(keyword)
    assert not keyword.startswith("$")


@pytest.mark.parametrize("keyword", ["$Forwarded", "NonJunk", "Junk", "$label1", "Two=ZZwords", "=FF", ""])
def test_what_other_programs_write_for_themselves_is_no_label(keyword: str):
    assert label_of_keyword(keyword) is None


def test_a_plain_label_is_its_own_keyword():
    assert keyword_of("URGENT") == "URGENT"
    assert keyword_of("Two words") == "Two=20words"
    assert labels_of(["URGENT", "Two=20words", "$Forwarded"]) == ("Two words", "URGENT")


def test_a_label_is_the_same_in_any_case():
    message = Message("<a@x>", labels=("Größe",)).with_label("GRÖSSE", on=True)

    assert message.has_label("größe")
    assert message.labels == ("GRÖSSE",)
    assert message.with_label("Größe", on=False).labels == ()


@pytest.mark.parametrize(
    "place", [MailPlace("inbox", "17", 1234), MailPlace("Lists/a b", "1767.M1P2.host", 1)], ids=str
)
def test_a_place_comes_back_from_its_id(place: MailPlace):
    assert place_of(str(place)) == place


@pytest.mark.parametrize("id_", ["<a@x.test>", "<place:inbox/1/2>", "place:", "place:inbox/x/2", "place:inbox/1/", ""])
def test_what_is_no_place_is_taken_for_a_message_id(id_: str):
    assert place_of(id_) is None


BESIDE = Metadata(MailPlace("inbox", "7", 3), datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1))), (), (), 42)


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


TO, SUBJECT, BODY = ("you@x.test",), "Invoice", "Please päy"
MESSAGE = Message("<a@x>", "Ana <ana@x.test>", TO, SUBJECT, BODY, "2026-03-10T10:00:00Z", ("Money",), cc=("c@x",))


@pytest.mark.req("T-93")
@pytest.mark.parametrize(
    ("criteria", "wanted"),
    [
        (Criteria(), True),
        (Criteria(sender="ANA"), True),
        (Criteria(sender="bo"), False),
        (Criteria(to="c@x"), True),
        (Criteria(text="PÄY"), True),
        (Criteria(text="invoice"), True),
        (Criteria(label="money"), True),
        (Criteria(label="mon"), False),
        (Criteria(unread=True), True),
        (Criteria(unread=False), False),
        (Criteria(sender="ana", subject="lunch"), False),
    ],
    ids=str,
)
def test_each_criterion_is_held(criteria: Criteria, wanted: bool):
    assert fulfils(MESSAGE, DatedCriteria(criteria)) is wanted


def test_dates_begin_with_the_first_moment_and_end_before_the_last():
    moment = datetime(2026, 3, 10, 10, tzinfo=UTC)

    assert fulfils(MESSAGE, DatedCriteria(Criteria(), after=moment))
    assert not fulfils(MESSAGE, DatedCriteria(Criteria(), before=moment))


def test_a_message_without_a_time_counts_as_the_oldest():
    assert received_time(replace(MESSAGE, received_at="")) == datetime.min.replace(tzinfo=UTC)


def test_hidden_copies_and_the_names_of_files_can_be_searched():
    message = Message("<a@x>", "a@x", received_at="2026-03-01T11:00:00Z", flags=("read",), size=9)
    root = MimePart(
        "multipart/mixed", "", parts=(MimePart("text/plain", "1"), MimePart("image/png", "2", name="Übersicht.png"))
    )

    letter = with_files(query_message(message, headers_of(b"Bcc: b@x, c@x\n").addresses("bcc")), root)

    assert (letter.bcc, letter.attachments, letter.read, letter.size) == (("b@x", "c@x"), ("Übersicht.png",), True, 9)


GOOD = [
    ("a@b.c", ["a@b.c"]),
    (" a@b.c ", ["a@b.c"]),
    ("<a@b.c>", ["a@b.c"]),
    ("Ana Ruiz <ana@x.org>", ["Ana Ruiz <ana@x.org>"]),
    ("J. Doe <j@d.e>", ["J. Doe <j@d.e>"]),
    ('"Ruiz, Ana" <a@b.c>', ['"Ruiz, Ana" <a@b.c>']),
    ("a@corp.test,evil@x.test", ["a@corp.test", "evil@x.test"]),
    ("a@b.c, Ana <d@e.f>, g@h.i", ["a@b.c", "Ana <d@e.f>", "g@h.i"]),
    ("a@b.c, a@b.c", ["a@b.c"]),
    ("Müller <m@münchen.de>", ["Müller <m@xn--mnchen-3ya.de>"]),
    ("a+tag@sub.b.co.uk", ["a+tag@sub.b.co.uk"]),
    ("ana@localhost", ["ana@localhost"]),
]
BAD = [
    "", " ", ",", "a", "a@", "@b.c", "a@b@c", "a b@c.d", "a@b..c", "ana.@x.org", ".ana@x.org", "a@-b.c",
    "a@b.c; d@e.f", "a@b.c d@e.f", "a@b.c,,d@e.f", "Ruiz, Ana <a@b.c>", '"ceo@corp.test" <evil@x.test>',
    "ceo@corp.test <evil@x.test>",
    "friends: a@b.c, d@e.f;", "undisclosed:;", "a (comment) <a@b.c>", "a@b.c (comment)", '"q q"@b.c', "@r:a@b.c",
    "a@[1.2.3.4]", "<a@b.c", "a@b.c>", "<<a@b.c>>", '"Ana <a@b.c>', "=?utf-8?q?a=0D=0Ab?= <a@b.c>", "müller@b.c",
    "a@b.c\r\nBcc: evil@x.test", "a@b.c\nevil@x.test", "a@b.c\x00", "a@b.c\x0b", "a@b.c\x0c", "a@b.c\x85",
    "a@b.c\u2028",
    f"{'a' * 65}@b.c", f"a@{'b' * 64}.c", f"a@{'.'.join(['bcdefghi'] * 30)}", "a@b.c\\", r'"a\"b" <a@b.c>',
]  # fmt: skip


@pytest.mark.req("ML-03")
@pytest.mark.parametrize(("text", "wanted"), GOOD, ids=[text for text, _ in GOOD])
def test_a_list_is_read_address_by_address(text: str, wanted: list[str]):
    assert [str(recipient) for recipient in read_addresses(text, "to")] == wanted


@pytest.mark.req("ML-03")
@pytest.mark.parametrize("text", BAD, ids=ascii)
def test_what_could_be_meant_in_two_ways_is_refused(text: str):
    with pytest.raises(ProposalError, match="“to”"):
        read_addresses(text, "to")


def test_more_addresses_than_a_person_can_look_at_are_refused():
    assert len(read_addresses(",".join(f"a{n}@b.c" for n in range(100)), "to")) == 100

    with pytest.raises(ProposalError, match="101"):
        read_addresses(",".join(f"a{n}@b.c" for n in range(101)), "to")


@given(st.text(alphabet=string.ascii_letters + '@<>",.;:()[]\\ =?\r\n\x00ü-', max_size=30))
def test_any_text_is_read_into_plain_addresses_or_refused(text: str):
    try:
        recipients = read_addresses(text, "to")
    except ProposalError:
        return

    assert recipients
    assert text.count("@") >= len(recipients)
    for recipient in recipients:
        local, _, domain = recipient.address.partition("@")
        assert local
        assert domain
        assert not set(recipient.address) & set('<>",;:()[]\\ \r\n\x00')
        assert read_addresses(str(recipient), "to") == (Recipient(recipient.address, recipient.name),)


@pytest.mark.parametrize(
    ("address", "name", "sender"),
    [
        ("a@b.c", "", "a@b.c"),
        ("a@b.c", "Ana Ruiz", "Ana Ruiz <a@b.c>"),
        ("a@b.c", "Ruiz, Ana", '"Ruiz, Ana" <a@b.c>'),
        ("m@münchen.de", "Mü", "Mü <m@xn--mnchen-3ya.de>"),
        ("a@b.c", "Ana B.", '"Ana B." <a@b.c>'),
        ("m@..", "", "m@.."),
    ],
)
def test_a_sender_is_written_so_that_it_is_read_as_one(address: str, name: str, sender: str):
    assert sender_of(address, name) == sender


DATA = b"what came"


async def fetch(id_: str, number: int) -> AttachmentFile:
    return AttachmentFile("eve@x.test", "Files", "a.bin", DATA)


def saving(home: Path, *roots: Path) -> AttachmentSaver:
    return AttachmentSaver(
        BackendContext({}, str(home), str(home / ".sayso"), tuple(map(str, roots)), FakeClock(), NumberedIds())
    )


def step(path: Path, data: bytes = DATA) -> SaveAttachment:
    return SaveAttachment("<a@x.test>", 1, str(path), digest_of(data), len(data), "token")


async def test_a_root_may_itself_be_a_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "Documents").symlink_to(tmp_path / "real")
    there = saving(tmp_path, tmp_path / "Documents")

    place = await there.free_path("~/Documents", "a.bin")
    await there.execute(step(Path(place.path)), place.expects, fetch)

    assert place.path == str(tmp_path / "real" / "a.bin")
    assert (tmp_path / "real" / "a.bin").read_bytes() == DATA


def another_folder(folder: Path) -> None:
    """Put another folder in the place of one."""
    folder.rename(folder.with_name("former"))
    folder.mkdir()


def a_link(folder: Path) -> None:
    """Put a link to another folder in the place of one."""
    folder.rename(folder.with_name("former"))
    folder.symlink_to("former")


FOLDER_CHANGES: dict[str, Callable[[Path], None]] = {
    "another folder": another_folder,
    "a link": a_link,
    "mode": lambda folder: folder.chmod(0o777),
    "owner": lambda folder: os.chown(folder, 4711, 4711),
    "gone": Path.rmdir,
    "the place is taken": lambda folder: (folder / "a.bin").touch(),
}


@pytest.mark.parametrize("name", FOLDER_CHANGES)
async def test_nothing_is_saved_where_the_folder_has_changed_since_the_place_was_shown(tmp_path: Path, name: str):
    if name == "owner" and os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    folder = tmp_path / "Documents" / "in"
    folder.mkdir(parents=True)
    there = saving(tmp_path, tmp_path / "Documents")
    place = await there.free_path("~/Documents/in", "a.bin")
    FOLDER_CHANGES[name](folder)

    with pytest.raises((ProviderError, Refused), match=r"Documents/in") as no:
        await there.execute(step(Path(place.path)), place.expects, fetch)

    assert no.type in {ProviderError, Refused}, "nothing was begun"
    assert [file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()] in ([], [0])


async def test_a_step_outside_of_the_roots_is_refused_however_it_came_to_be(tmp_path: Path):
    (tmp_path / "in").mkdir()

    with pytest.raises(Refused, match="outside the folders"):
        await saving(tmp_path, tmp_path / "in").execute(step(tmp_path / "a.bin"), (), fetch)

    assert [one.name for one in tmp_path.iterdir()] == ["in"]


async def test_a_way_back_that_knows_nothing_of_the_file_takes_nothing_away(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(DATA)
    there = saving(tmp_path, tmp_path)

    with pytest.raises(ProviderError, match="it is not known"):
        await there.execute(RemoveSaved(str(tmp_path / "a.bin"), "t"), (), fetch)

    assert (tmp_path / "a.bin").exists()


async def test_a_file_of_somebody_else_is_never_taken_for_ours(tmp_path: Path):
    there, file = saving(tmp_path, tmp_path), tmp_path / "a.bin"
    before = await there.settle(step(file), ())

    file.write_bytes(DATA)
    same = await there.settle(step(file), ())
    file.write_bytes(b"another")
    other = await there.settle(step(file), ())
    file.unlink()
    left = await there.execute(step(file), (), fetch)
    file.unlink()

    assert isinstance(before, NotDone)
    assert isinstance(same, CannotTell)
    assert isinstance(other, CannotTell)
    assert "holds what was to be saved" in same.why
    assert "holds what was to be saved" not in other.why
    assert isinstance(await there.settle(RemoveSaved(str(file), "t"), left.facts), CannotTell)


async def test_a_folder_that_is_gone_cannot_tell(tmp_path: Path):
    (tmp_path / "in").mkdir()
    there = saving(tmp_path, tmp_path)
    fact = MailFile(str(tmp_path / "in" / "a.bin"), digest_of(DATA))
    (tmp_path / "in").rmdir()

    settled = await there.settle(RemoveSaved(str(tmp_path / "in" / "a.bin"), "t"), (fact,))

    assert isinstance(settled, CannotTell)
