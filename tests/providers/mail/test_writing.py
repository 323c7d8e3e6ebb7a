"""A draft reads back as it was meant, and one that cannot be written is refused before anything is done."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail.steps import ComposeMessage
from sayso.providers.mail.writing import draft_bytes

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize("body", ["", "One\n.\nTwo\n", "ünï " * 400, "From here\n--\n", "日本\n"], ids=len)
def test_a_draft_reads_back_as_it_was_meant(body: str):
    step = ComposeMessage("<a@x.test>", ("Bö <bo@y.test>", "c@y.test"), "Sübject " * 20, body)

    read = message_from_bytes(draft_bytes(step, "Ana <ana@x.test>", NOW), policy=default)

    assert [str(one) for one in read["to"].addresses] == ["Bö <bo@y.test>", "c@y.test"]
    assert (str(read["subject"]).split(), read["message-id"]) == (["Sübject"] * 20, "<a@x.test>")
    assert read.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")


def test_without_a_sender_that_is_one_nothing_is_written():
    with pytest.raises(ProviderError, match="make no sender"):
        draft_bytes(ComposeMessage("<a@x.test>", ("b@y.test",), "", ""), "nobody", NOW)
