"""The tree of parts that a server tells is the one that the message has."""

from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.imap.account import Account
from sayso.providers.mail.imap.fetching import selected, shape_told
from sayso.providers.mail.imap.structure import part_of
from sayso.providers.mail.imap.wire import closed, connected
from sayso.providers.mail.mime.shape import attachments_of, texts_of
from sayso.providers.mail.mime.whole import read_whole
from tests.mail_env.accounts import WORD, Accounts


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
    wire = connected(Account("127.0.0.1", server.port, person, "loopback", "password"), WORD)
    selected(wire, "inbox", "INBOX")

    root = shape_told(wire.fetch([1], ["BODYSTRUCTURE"])[1])

    own = read_whole(data).root
    assert [one.section for one in texts_of(root)] == [one.section for one in texts_of(own)]
    assert [(one.name, one.type) for one in attachments_of(root)] == [
        (one.name, one.type) for one in attachments_of(own)
    ]
    assert abs(attachments_of(root)[0].size - 300) < 10
    closed(wire)


@given(
    st.recursive(
        st.none() | st.integers() | st.binary(max_size=5), lambda inner: st.lists(inner) | st.tuples(inner, inner)
    )
)
def test_no_answer_is_too_strange(told: object):
    assert isinstance(part_of(told).type, str)
