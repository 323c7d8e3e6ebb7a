"""What a page asks is told in words, the first question first."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser.live.dialogs import Dialog, must_not_ask


@pytest.mark.parametrize(
    ("type_", "code", "said"),
    [
        ("file", "page.asks_file", "files are chosen by a person"),
        ("beforeunload", "page.asks", "asks before it is left"),
        ("confirm", "page.asks", "asked “Sure?” and got no for an answer"),
        ("prompt", "page.asks", "asked “Sure?” and got no for an answer"),
    ],
)
def test_each_question_is_told(type_: str, code: str, said: str):
    with pytest.raises(ProviderError, match=said.replace("?", r"\?")) as asked:
        must_not_ask([Dialog("alert", "x"), Dialog(type_, "Sure?"), Dialog("confirm", "later")])

    assert asked.value.code == code


def test_what_needs_no_answer_is_let_be():
    must_not_ask([])
    must_not_ask([Dialog("alert", "x")])


def test_a_long_question_is_cut():
    with pytest.raises(ProviderError) as asked:
        must_not_ask([Dialog("confirm", "x" * 1000)])

    assert len(str(asked.value)) < 300
