"""What a script came to is told within bounds; once it has run it may have changed something."""

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.facts import Returned
from sayso.providers.browser.live import scripts
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Showing


def test_what_it_returned_is_cut_with_its_length_told():
    assert scripts.returned("t", "short") == Returned("t", "short", 5)
    assert scripts.returned("t", "x" * 10_001) == Returned("t", "x" * 10_000, 10_001, truncated=True)


def test_the_first_line_of_what_went_wrong_is_told():
    assert str(scripts.wrong("TypeError: x\n  at y")).endswith("stays: TypeError: x")
    assert str(scripts.wrong("")).endswith("stays: an error of its own")
    assert str(scripts.unreadable("SyntaxError: x")).endswith("nothing of it ran: SyntaxError: x")


def test_what_did_not_end_is_uncertain():
    assert isinstance(scripts.too_long(), Uncertain)
    assert isinstance(scripts.left(), Uncertain)


THROWN = [
    ("document.title = 'did'; x.y", "x is not defined"),
    ("document.title = 'did'; throw 7", "7"),
    ("document.title = 'did'; eval('1 +')", "SyntaxError"),
    ("document.title = 'did'; JSON.parse('{')", "SyntaxError"),
    ("document.title = 'did'; await nope()", "nope is not defined"),
    ("document.title = 'did'; const e = new SyntaxError('mine'); e.stack = ''; throw e", "mine"),
    ("document.title = 'did'; Promise.reject(new SyntaxError('late'))", "late"),
    ("document.title = 'did'; await import('/no-script')", "SyntaxError"),
]


@pytest.mark.req("T-23", "S1-44")
@pytest.mark.parametrize(("code", "said"), THROWN)
async def test_a_script_that_throws_after_it_did_something_is_not_told_as_not_done(
    page: Showing, around: Around, code: str, said: str
):
    around.web.pages["/no-script"] = (200, {"content-type": "text/javascript"}, b"1 +")
    trial = page("")

    with pytest.raises(Uncertain, match=said) as wrong:
        await trial.do(await trial.plan("page.run_js", code=code))

    assert "what it did before stays" in str(wrong.value)
    assert around.chromium.evaluate("document.title") == "did"


@pytest.mark.req("T-23")
@pytest.mark.parametrize("code", ["document.title = 'did'; 1 +", "document.title = 'did'; return 5", "await ("])
async def test_a_script_that_cannot_be_read_has_done_nothing(page: Showing, around: Around, code: str):
    trial = page("")

    with pytest.raises(ProviderError, match="nothing of it ran: SyntaxError") as wrong:
        await trial.do(await trial.plan("page.run_js", code=code))

    assert not isinstance(wrong.value, Uncertain)
    assert around.chromium.evaluate("document.title") == "Page"


async def test_what_a_page_asks_while_a_script_runs_leaves_it_open(page: Showing, around: Around):
    trial = page("")

    with pytest.raises(Uncertain, match="the script ran, and then: the page asked “Sure"):
        await trial.do(await trial.plan("page.run_js", code="document.title = String(confirm('Sure?'))"))

    assert around.chromium.evaluate("document.title") == "false"
