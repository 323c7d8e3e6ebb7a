"""A message that has no Message-ID of its own goes by its place."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.providers.mail.messages import (
    Beside,
    Place,
    flags_of,
    fulfils,
    has_label,
    head_of,
    keyword_of,
    label_of_keyword,
    labels_of,
    letter_of,
    place_of,
    received_time,
    with_files,
    with_label,
)
from sayso.providers.mail.mime import Part, headers_of
from sayso.providers.mail.store import Criteria, Message, Wanted

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
    message = with_label(Message("<a@x>", labels=("Größe",)), "GRÖSSE", on=True)

    assert has_label(message, "größe")
    assert message.labels == ("GRÖSSE",)
    assert with_label(message, "Größe", on=False).labels == ()


@pytest.mark.parametrize("place", [Place("inbox", "17", 1234), Place("Lists/a b", "1767.M1P2.host", 1)], ids=str)
def test_a_place_comes_back_from_its_id(place: Place):
    assert place_of(str(place)) == place


@pytest.mark.parametrize("id_", ["<a@x.test>", "<place:inbox/1/2>", "place:", "place:inbox/x/2", "place:inbox/1/", ""])
def test_what_is_no_place_is_taken_for_a_message_id(id_: str):
    assert place_of(id_) is None


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


MESSAGE = Message(
    "<a@x>",
    "Ana <ana@x.test>",
    ("you@x.test",),
    "Invoice",
    "Please päy",
    "2026-03-10T10:00:00Z",
    ("Money",),
    cc=("c@x",),
)


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
    assert fulfils(MESSAGE, Wanted(criteria)) is wanted


def test_dates_begin_with_the_first_moment_and_end_before_the_last():
    moment = datetime(2026, 3, 10, 10, tzinfo=UTC)

    assert fulfils(MESSAGE, Wanted(Criteria(), after=moment))
    assert not fulfils(MESSAGE, Wanted(Criteria(), before=moment))


def test_a_message_without_a_time_counts_as_the_oldest():
    assert received_time(replace(MESSAGE, received_at="")) == datetime.min.replace(tzinfo=UTC)


def test_hidden_copies_and_the_names_of_files_can_be_searched():
    message = Message("<a@x>", "a@x", received_at="2026-03-01T11:00:00Z", flags=("read",), size=9)
    root = Part("multipart/mixed", "", parts=(Part("text/plain", "1"), Part("image/png", "2", name="Übersicht.png")))

    letter = with_files(letter_of(message, headers_of(b"Bcc: b@x, c@x\n")), root)

    assert (letter.bcc, letter.attachments, letter.read, letter.size) == (("b@x", "c@x"), ("Übersicht.png",), True, 9)
