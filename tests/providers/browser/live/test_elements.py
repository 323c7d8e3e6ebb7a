"""What a selector finds is said exactly, and so is what is wrong with it."""

import pytest

from sayso.core.errors import ProviderError
from tests.providers.browser.conftest import Showing

WRONG = [
    ("<p>x</p>", "#nope", "nothing on the page is found by “#nope”"),
    ("<p>x</p>", "p[", "“p[” is no CSS selector"),
    ("<button>a</button><button>b</button>", "button", "“button” finds 2 elements; write a selector that finds only"),
    ("<button hidden>a</button>", "button", "what “button” finds is hidden"),
    ("<p style='visibility:hidden'>a</p><p style='opacity:0'>b</p>", "p", "“p” finds 2 elements, and all are hidden"),
    ("<input style='width:0;height:0;border:0;padding:0'>", "input", "what “input” finds is hidden"),
    ("<fieldset disabled><button>a</button></fieldset>", "button", "what “button” finds is disabled"),
    ("<div role=button aria-disabled=true>a</div>", "div", "what “div” finds is disabled"),
]  # fmt: skip


@pytest.mark.req("S1-45", "BR-06")
@pytest.mark.parametrize(("body", "selector", "said"), WRONG, ids=[said for _, _, said in WRONG])
async def test_what_is_wrong_is_named(page: Showing, body: str, selector: str, said: str):
    with pytest.raises(ProviderError) as wrong:
        await page(body).plan("page.click", selector=selector)

    assert str(wrong.value).startswith(said)


FOUND = [
    ("<button aria-label=Send>x</button>", "button", ("button", "Send", False, None)),
    ("<a href=/x>Next <b>page</b></a>", "a", ("link", "Next page", False, None)),
    ("<label>Name <input id=q value=Ana></label>", "#q", ("textbox", "Name", True, "Ana")),
    ("<textarea>a\nb</textarea>", "textarea", ("textbox", "a\nb", True, "a\nb")),
    ("<select><option value=1>One<option value=2 selected>Two</select>", "select", ("combobox", "One\nTwo", True, "2")),
    ("<div contenteditable>hello</div>", "div", ("<div>", "hello", True, "hello")),
    ("<input type=password aria-label=Code value=hunter2>", "input", ("textbox", "Code", True, None)),
    ("<input autocomplete='section-a cc-number' aria-label=Card value=4>", "input", ("textbox", "Card", True, None)),
    ("<input readonly value=fixed>", "input", ("read-only textbox", "fixed", False, "fixed")),
    ("<div onclick=1>plain</div>", "div", ("<div>", "plain", False, None)),
    ("<button hidden>a</button><button>b</button>", "button", ("button", "b", False, None)),
]  # fmt: skip


@pytest.mark.req("S1-46")
@pytest.mark.parametrize(("body", "selector", "wanted"), FOUND, ids=[body for body, _, _ in FOUND])
async def test_an_element_is_called_what_the_browser_calls_it(
    page: Showing, body: str, selector: str, wanted: tuple[str, str, bool, str | None]
):
    found = await page(body).backend.reads.element(selector)

    assert (found.role, found.name, found.field, found.value) == wanted


async def test_nothing_of_a_password_is_written_down(page: Showing):
    found = await page("<input type=password value=1234>").backend.reads.element("input")

    assert found.fact.value == ""


@pytest.mark.req("BR-07")
async def test_a_field_for_files_is_left_to_the_person(page: Showing):
    with pytest.raises(ProviderError, match="it is a field for files, and those are chosen by a person"):
        await page("<input type=file>").plan("page.fill", selector="input", value="/etc/passwd")


@pytest.mark.req("BR-05")
async def test_a_page_cannot_reach_how_it_is_looked_at(page: Showing):
    lies = "<script>document.querySelectorAll = () => []; Element.prototype.getClientRects = () => []</script>"

    found = await page(f"{lies}<button>Pay</button>").backend.reads.element("button")

    assert found.name == "Pay"
