"""The bytes of a message say what is shown and nothing else, whatever stands in its fields."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import default
from email.utils import getaddresses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError, SetupError
from sayso.providers.mail.building import built
from sayso.providers.mail.steps import SendMessage

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=80)
BODIES = st.lists(LINES | st.sampled_from([".", "..", "From x", "x" * 1200, "", "Bcc: a@x.test"])).map("\n".join)


def step(subject: str = "S", body: str = "B", **more: Any) -> SendMessage:
    return SendMessage("<a@x.test>", "Ana Büg <ana@x.test>", ("Bo <bo@y.test>",), subject, body, **more)


@pytest.mark.req("ML-01", "ML-05")
@given(LINES, BODIES)
def test_another_reader_finds_what_was_written(subject: str, body: str):
    raw = built(step(subject, body), NOW).encode("ascii")

    read: Any = message_from_bytes(raw, policy=default)
    assert str(read["Subject"]).split() == subject.split()
    assert str(read.get_content()).replace("\r\n", "\n").removesuffix("\n") == body.removesuffix("\n")
    assert [str(one) for one in read["To"].addresses] == ["Bo <bo@y.test>"]
    assert raw.replace(b"\r\n", b"").count(b"\n") == raw.replace(b"\r\n", b"").count(b"\r") == 0
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))


def test_hidden_recipients_stand_nowhere_in_it():
    raw = built(step(bcc=("secret@z.test",), cc=("c@y.test",), reply_to=("r@y.test",)), NOW)

    assert "secret" not in raw
    assert "bcc" not in raw.lower()
    assert "Cc: c@y.test\r\nReply-To: r@y.test\r\n" in raw


PEOPLE = st.lists(
    st.tuples(
        st.sampled_from(["", "Bo", "Müller, Bo", "日本語の名前" * 4, "b" * 90, "ß", "A. B. Ü., C;D", "Dr. O'N (x)"]),
        st.sampled_from(["u1@x.test", "u2@xn--bcher-kva.test", "a.rather.long.local.part@some.example.test"]),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.req("ML-02", "ML-03")
@given(PEOPLE, PEOPLE)
def test_each_field_names_the_people_shown_whatever_they_are_called(
    to: list[tuple[str, str]], cc: list[tuple[str, str]]
):
    written = [tuple(f'"{name}" <{address}>' if name else address for name, address in people) for people in (to, cc)]
    raw = built(SendMessage("<a@x.test>", "Ana <a@x.test>", written[0], "S", "B", written[1]), NOW)

    read = message_from_bytes(raw.encode("ascii"))
    for field, people in (("To", to), ("Cc", cc)):
        found = getaddresses([read[field]])
        assert [(str(make_header(decode_header(name))), address) for name, address in found] == people
    assert all(len(line) <= 500 for line in raw.split("\r\n"))


def test_it_is_the_same_each_time():
    assert built(step(), NOW) == built(step(), NOW)


@pytest.mark.req("ML-01")
@pytest.mark.parametrize("bad", ["S\r\nBcc: evil@x.test", "S\nX", "a\x00"])
def test_what_would_break_out_of_a_field_is_no_message(bad: str):
    with pytest.raises(ProposalError):
        built(step(bad), NOW)


def test_a_sender_that_is_none_is_a_matter_of_the_settings():
    with pytest.raises(SetupError, match=r"\[mail\]"):
        built(SendMessage("<a@x>", "Ana <nowhere>", ("b@y.test",), "S", "B"), NOW)
