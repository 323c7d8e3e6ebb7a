"""What a page asks is told in words, the first question first."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser.facts import Asked
from sayso.providers.browser.live.dialogs import Dialog, must_let_go, must_not_ask, told


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


def test_only_a_page_that_keeps_from_being_left_keeps_from_going_elsewhere():
    must_let_go([Dialog("alert", "x"), Dialog("confirm", "y"), Dialog("file")])
    with pytest.raises(ProviderError, match="asks before it is left"):
        must_let_go([Dialog("confirm", "y"), Dialog("beforeunload")])


def test_what_the_next_page_asked_first_is_told():
    assert told("t", [Dialog("alert", "x")]) == ()
    assert told("t", [Dialog("alert", "x"), Dialog("prompt", "Who?"), Dialog("confirm", "y")]) == (
        Asked("t", "the page asked “Who?” and got no for an answer"),
    )
