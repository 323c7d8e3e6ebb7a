"""The tree of parts that a server tells is the one that the message has."""

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail import MAIL
from sayso.providers.mail.account import ImapAccount
from sayso.providers.mail.backend import LISTED
from sayso.providers.mail.imap.client import close_connection, connect
from sayso.providers.mail.imap.fetch import open_mailbox, part_of, structure_of
from sayso.providers.mail.mime import attachments_of, parse_message, texts_of
from sayso.testing.harness import Trial
from tests.mail_env.dovecot import WORD, Accounts
from tests.providers.mail.imap.servers import over
from tests.providers.mail.letters import CHARSETS


def rich() -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = "x"
    made.set_content("Grüße\n")
    made.add_alternative("<p>Grüße</p>", subtype="html")
    made.add_attachment(b"\x00" * 300, maintype="application", subtype="pdf", filename="Übersicht der Rechnungen.pdf")
    inner = EmailMessage()
    inner.set_content("inner")
    made.add_attachment(inner)
    made.add_attachment("a,b\n", subtype="csv", filename="t.csv")
    return made


@pytest.mark.needs("dovecot")
def test_text_and_files_are_the_same_as_in_the_bytes(server: Accounts):
    person, data = server.person(), rich().as_bytes()
    server.put(person, [(data, 10, "")])
    wire = connect(ImapAccount("127.0.0.1", server.port, person, "loopback", "password"), WORD)
    open_mailbox(wire, "inbox", "INBOX")

    root = structure_of(wire.fetch([1], ["BODYSTRUCTURE"])[1])

    own = parse_message(data).root
    assert [one.section for one in texts_of(root)] == [one.section for one in texts_of(own)]
    assert [(one.name, one.type) for one in attachments_of(root)] == [
        (one.name, one.type) for one in attachments_of(own)
    ]
    assert abs(attachments_of(root)[0].size - 300) < 10
    close_connection(wire)


@given(
    st.recursive(
        st.none() | st.integers() | st.binary(max_size=5), lambda inner: st.lists(inner) | st.tuples(inner, inner)
    )
)
def test_no_answer_is_too_strange(told: object):
    assert isinstance(part_of(told).type, str)


def in_charset(charset: str, text: str) -> bytes:
    word = base64.b64encode(text.encode(charset)).decode()
    head = f"Subject: =?{charset}?b?{word}?=\r\nMessage-ID: <{charset}@x.test>\r\nMIME-Version: 1.0\r\n"
    kind = f"Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return f"{head}{kind}{word}\r\n".encode()


@pytest.mark.needs("dovecot")
async def test_a_dozen_charsets_are_read(server: Accounts):
    letters = [(in_charset(name, text), number, "") for number, (name, text) in enumerate(CHARSETS.items(), 10)]

    found = await over(server, server.person(letters)).reads.inbox(50, include_read=True)

    read = {one.message_id[1:-8]: (one.subject, one.body_text) for one in found}
    assert read == {name: (text, text) for name, text in CHARSETS.items()}


@pytest.mark.needs("dovecot")
async def test_two_megabytes_are_got_whole_and_listed_by_their_beginning(server: Accounts):
    person, text = server.person(), "0123456789abcde\n" * 131_072
    server.put(person, [(b"Message-ID: <big@x.test>\r\n\r\n" + text.replace("\n", "\r\n").encode(), 10, "")])
    there = over(server, person)

    (listed,) = await there.reads.inbox(1, include_read=True)
    (whole,) = await there.reads.get(("<big@x.test>",))

    assert listed.body_text == text[:LISTED]
    assert 0.9 < (LISTED + listed.text_left) / len(text) < 1.2
    assert (whole.body_text, whole.text_left) == (text, 0)


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize(
    "data",
    [
        b"Message-ID: <b@x.test>\r\nContent-Type: multipart/mixed\r\n\r\nno boundary",
        b"Message-ID: <b@x.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nnever closed",
        b"Message-ID: <b@x.test>\r\nContent-Type: nonsense\r\nContent-Transfer-Encoding: magic\r\n\r\n\xff\xfe",
        b"Message-ID: <b@x.test>\r\nSubject: \xff\xfe\r\nDate: never\r\nFrom: @@@\r\n\r\n",
        b"Message-ID: <b@x.test>\r\nContent-Type: text/html\r\n\r\n<script>",
    ],
)
async def test_broken_mail_is_read_as_far_as_it_goes(server: Accounts, data: bytes):
    person = server.person([(data, 10, "")])
    there = over(server, person)

    (listed,) = await there.reads.inbox(1, include_read=True)
    (whole,) = await there.reads.get(("<b@x.test>",))

    assert whole == listed


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("number", [1, 2, 3])
async def test_what_came_with_a_mail_is_saved_byte_for_byte(server: Accounts, tmp_path: Path, number: int):
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("inside\n")
    made = EmailMessage()
    made["From"], made["Subject"], made["Message-ID"] = "eve@x.test", "Files", "<files@x.test>"
    made.set_content("see below")
    data = {1: bytes(range(256)) * 3000, 2: "größe,1\r\n".encode(), 3: b""}
    made.add_attachment(data[1], maintype="application", subtype="octet-stream", filename="one.bin")
    made.add_attachment(data[2], maintype="text", subtype="csv", filename="two.csv", cte="quoted-printable")
    made.add_attachment(inner)
    person = server.person([(made.as_bytes(policy=made.policy.clone(linesep="\r\n")), 10, "")])
    there = over(server, person, home=str(tmp_path))
    trial = Trial(MAIL, there)

    plan = await trial.plan("mail.save_attachment", message_id="<files@x.test>", number=number, path="~")
    lefts = await trial.do(plan)

    (saved,) = tmp_path.iterdir()
    assert saved.name == {1: "one.bin", 2: "two.csv", 3: "part-3.eml"}[number]
    assert saved.read_bytes().endswith(data[number] or b"inside\r\n")
    assert number == 3 or saved.read_bytes() == data[number]
    await trial.take_back(plan, lefts)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs("dovecot")
async def test_a_mail_of_very_many_parts_is_listed_with_its_first_ones(server: Accounts):
    part = b"--b\r\nContent-Type: text/plain\r\n\r\nword\r\n"
    head = b"From: a@x.test\r\nMessage-ID: <m@x.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    person = server.person([(head + part * 3000 + b"--b--\r\n", 10, "")])
    there = over(server, person)

    (found,) = await there.reads.inbox(9, include_read=True)

    assert found.body_text.split() == ["word"] * 100
    assert found.text_left == 2900 * len("word")
