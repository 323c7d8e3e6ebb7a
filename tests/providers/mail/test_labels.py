"""Labels are the same in any case, and each has a keyword that a server can hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.labels import has_label, keyword_of, label_of_keyword, labels_of, with_label
from sayso.providers.mail.store import Message

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
