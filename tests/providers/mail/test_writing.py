"""What is written here reads back as it was meant."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest

from sayso.providers.mail.steps import ComposeMessage
from sayso.providers.mail.writing import message_bytes

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize("body", ["", "One\n.\nTwo\n", "ünï " * 400, "From here\n--\n", "日本\n"], ids=len)
def test_a_message_reads_back_as_it_was_meant(body: str):
    step = ComposeMessage("<a@x>", ("Bö <bo@y.test>", "c@y.test"), "Sübject " * 20, body)

    read = message_from_bytes(message_bytes(step, "Ana <ana@x.test>", NOW), policy=default)

    assert [str(one) for one in read["to"].addresses] == ["Bö <bo@y.test>", "c@y.test"]
    assert (str(read["subject"]).split(), read["message-id"]) == (["Sübject"] * 20, "<a@x>")
    assert read.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")
