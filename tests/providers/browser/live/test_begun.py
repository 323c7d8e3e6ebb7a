"""What was begun when a page stopped answering may have been done; everything else is told as it is."""

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.live.begun import begun


@pytest.mark.req("BR-10")
def test_a_page_that_stops_answering_leaves_it_open():
    with (
        pytest.raises(Uncertain, match="the page stopped answering while it was clicked") as told,
        begun("it was clicked"),
    ):
        raise TimeoutError

    assert told.value.code == "page.hangs"


def test_what_the_page_refuses_is_refused():
    with pytest.raises(ProviderError, match="hidden") as told, begun("it was clicked"):
        raise ProviderError("it is hidden", "page.hidden")

    assert told.value.code == "page.hidden"
