"""What was begun when a page went wrong may have been done; before that, everything is told as it is."""

import pytest

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.providers.browser.live.begun import LOOK, deed

HIDDEN = ProviderError("it is hidden", "page.hidden")
UNDONE = "the field was filled in, and has its old value back"


def goes_wrong(wrong: BaseException, *begun: str) -> None:
    with deed() as doing:
        for what in begun:
            doing.begins(what)
            if what == UNDONE:
                doing.nothing()
        raise wrong


@pytest.mark.req("BR-10")
def test_a_page_that_stops_answering_leaves_it_open():
    with pytest.raises(Uncertain) as told:
        goes_wrong(TimeoutError(), "it was clicked")

    assert str(told.value) == f"the page stopped answering while it was clicked; {LOOK}"
    assert told.value.code == "page.hangs"


@pytest.mark.req("BR-10")
def test_whatever_else_comes_up_leaves_it_open_and_is_named():
    with pytest.raises(Uncertain) as told:
        goes_wrong(HIDDEN, "it was clicked")

    assert str(told.value) == f"it was clicked, and then: it is hidden; {LOOK}"
    assert told.value.code == "page.hidden"


def test_what_goes_wrong_before_anything_was_begun_is_a_plain_no():
    for wrong in (HIDDEN, TimeoutError()):
        with pytest.raises(type(wrong)) as told:
            goes_wrong(wrong)

        assert told.value is wrong


def test_what_is_as_it_was_is_a_plain_no_again():
    with pytest.raises(ProviderError) as told:
        goes_wrong(HIDDEN, "the field was filled in", UNDONE)

    assert told.value is HIDDEN


def test_what_is_uncertain_or_refused_already_keeps_its_words():
    for wrong in (Uncertain("half"), Refused("no", "url.own_page")):
        with pytest.raises(type(wrong)) as told:
            goes_wrong(wrong, "it was clicked")

        assert told.value is wrong
