"""A page is listed with references to what can be used, and a reference names that element or nothing."""

import json
from typing import Any, cast

import pytest

from sayso.core.errors import ProviderError
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Showing

DONE = "document.title = "
ROWS = "".join(
    f"<li><span>{who}</span> <button onclick=\"{DONE}'{who}'\">Delete</button></li>" for who in ("Ana", "Ben", "Cleo")
)
FORM = (
    "<h1>Send &lt;/page&gt; it</h1><a href='/next?a=1'>Next</a><form action='/send' method=post>"
    "<label>Name <input id=n value=old required></label><label>Code <input type=password value=secret></label>"
    "<label>Agree <input type=checkbox checked></label><button>Send</button></form>"
    "<button hidden>Hidden</button><button disabled>Off</button><iframe title='Ads' src='about:blank'></iframe>"
)


async def outlined(trial: Trial) -> dict[str, str]:
    """Return the references of a page by role and name; of several alike, the last."""
    answer = await trial.answer("page.snapshot")
    rows = cast("list[dict[str, Any]]", answer.data["elements"])
    return {f"{row['role']} {row['name']}": row["reference"] for row in rows if "reference" in row}


async def listed(trial: Trial) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", (await trial.answer("page.snapshot")).data["elements"])


@pytest.mark.req("S1-45")
async def test_a_page_is_listed_with_what_can_be_used_and_told_as_the_words_of_strangers(page: Showing, around: Around):
    trial = page(FORM)
    answer = await trial.answer("page.snapshot")
    rows = [{name: value for name, value in row.items() if name != "reference"} for row in await listed(trial)]
    link = around.chromium.evaluate("document.querySelector('a').href")

    assert rows == [
        {"role": "heading", "name": "Send </page> it"},
        {"role": "link", "name": "Next", "opens": link},
        {"role": "textbox", "name": "Name", "value": "old", "state": ["required"]},
        {"role": "textbox", "name": "Code", "state": ["not read"]},
        {"role": "checkbox", "name": "Agree", "state": ["checked"]},
        {"role": "button", "name": "Send"},
        {"role": "button", "name": "Off", "state": ["disabled"]},
        {"role": "frame", "name": "Ads"},
    ]
    assert answer.text.count("</page>") == 1
    assert "secret" not in json.dumps(answer.data) + answer.text


async def test_a_reference_stands_in_place_of_a_selector_and_the_card_says_what_happens(page: Showing, around: Around):
    trial = page(FORM)
    known = await outlined(trial)

    link = await trial.plan("page.click", selector=known["link Next"])
    send = await trial.plan("page.click", selector=known["button Send"])
    fill = await trial.plan("page.fill", selector=known["textbox Name"], value="new")
    await trial.do(fill)

    assert link.summary.startswith(f"Click link “Next” ({known['link Next']}) in the page")
    assert link.preview.startswith("It opens “http")
    assert link.preview.endswith("/next?a=1”.")
    assert send.preview.startswith("It sends the form to “http")
    assert around.chromium.evaluate("n.value") == "new"


async def test_of_elements_that_look_alike_the_one_in_its_row_is_meant_or_none(page: Showing, around: Around):
    trial = page(f"<ul>{ROWS}</ul>")
    ana, ben, cleo = [row["reference"] for row in await listed(trial)]

    around.chromium.evaluate("document.querySelector('li').remove()")
    with pytest.raises(ProviderError, match="the page has changed; look again") as gone:
        await trial.plan("page.click", selector=ana)
    await trial.do(await trial.plan("page.click", selector=cleo))

    assert gone.value.code == "page.changed"
    assert around.chromium.evaluate("document.title") == "Cleo"
    assert len({ana, ben, cleo}) == 3


@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('button').textContent = 'Pay'",
        "document.querySelector('button').remove()",
        "document.querySelector('button').hidden = true",
        "document.querySelector('button').after(document.querySelector('button').cloneNode(true))",
        "document.querySelector('a').href = '/elsewhere'; document.querySelector('button').replaceWith('x')",
        "document.querySelector('li').firstChild.textContent = 'Dora'",
        "history.pushState(1, '', '#other')",
    ],
)
async def test_what_changed_since_it_was_listed_is_not_clicked(page: Showing, around: Around, change: str):
    trial = page("<ul><li><span>Ana</span> <button>Delete</button> <a href='/x'>more</a></li></ul>")
    reference = (await outlined(trial))["button Delete"]

    around.chromium.evaluate(change)

    with pytest.raises(ProviderError, match="the page has changed; look again"):
        await trial.plan("page.click", selector=reference)


async def test_a_reference_of_a_page_that_was_loaded_anew_names_nothing(page: Showing, around: Around):
    trial = page(FORM)
    reference = (await outlined(trial))["button Send"]
    url = around.chromium.evaluate("location.href")

    around.chromium.go("about:blank")
    around.chromium.go(url)

    with pytest.raises(ProviderError, match="the page has changed; look again"):
        await trial.plan("page.click", selector=reference)


async def test_a_click_planned_on_a_reference_is_not_done_if_the_element_changes_before(page: Showing, around: Around):
    trial = page("<button onclick=\"document.title = 'done'\">Keep</button>")
    plan = await trial.plan("page.click", selector=(await outlined(trial))["button Keep"])

    around.chromium.evaluate("document.querySelector('button').textContent = 'Pay'")

    with pytest.raises(ProviderError):
        await trial.do(plan)
    assert around.chromium.evaluate("document.title") != "done"


async def test_a_long_page_is_listed_in_part(page: Showing):
    trial = page("<button>x</button>" * 700)

    answer = await trial.answer("page.snapshot")

    assert answer.data["total"] == 700
    assert len(cast("list[Any]", answer.data["elements"])) < 500
    assert answer.text.endswith("of 700.")
    assert len(answer.text) < 11_000


INSIDE = (
    "<p style='height:1500px'>far above</p><label>Name <input id=n></label>"
    "<button onclick=\\\"parent.document.title = 'framed'\\\">Pay</button>"
)
FRAMED = (
    "<h1>Outer</h1><iframe id=f title=Shop style='padding:7px;border:3px solid;margin:40px;height:200px' "
    f'srcdoc="{INSIDE.replace(chr(92) + chr(34), "&quot;")}"></iframe>'
)


async def test_what_is_in_a_frame_of_the_same_site_is_listed_filled_in_and_clicked(page: Showing, around: Around):
    trial = page(FRAMED)
    known = await outlined(trial)

    await trial.do(await trial.plan("page.fill", selector=known["textbox Name"], value="Ana"))
    await trial.do(await trial.plan("page.click", selector=known["button Pay"]))

    assert around.chromium.evaluate("f.contentDocument.getElementById('n').value") == "Ana"
    assert around.chromium.evaluate("document.title") == "framed"


@pytest.mark.parametrize(
    "change",
    [
        "f.remove()",
        "f.contentDocument.querySelector('button').textContent = 'Buy'",
        "f.hidden = true",
    ],
)
async def test_what_changed_in_a_frame_since_it_was_listed_is_not_clicked(page: Showing, around: Around, change: str):
    trial = page(FRAMED)
    reference = (await outlined(trial))["button Pay"]

    around.chromium.evaluate(change)

    with pytest.raises(ProviderError, match="the page has changed; look again"):
        await trial.plan("page.click", selector=reference)


async def test_what_lies_over_a_frame_keeps_a_click_from_what_is_in_it(page: Showing, around: Around):
    trial = page(f"{FRAMED}<style>b{{position:fixed;inset:0}}</style><b id=over></b>")
    reference = (await outlined(trial))["button Pay"]

    with pytest.raises(ProviderError, match="lies under <b#over>, which a click would hit; nothing was clicked"):
        await trial.do(await trial.plan("page.click", selector=reference))
    assert around.chromium.evaluate("document.title") != "framed"


LINK, SEND = ("link Next", "a"), ("button Send", "form button")
ELSEWHERE = (
    (LINK, "document.querySelector('a').href = '/elsewhere'"),
    (SEND, "document.querySelector('form').action = '/elsewhere'"),
    (SEND, "document.querySelector('form button').formAction = '/elsewhere'"),
    (SEND, "document.querySelector('form').method = 'get'"),
)


@pytest.mark.parametrize("by", [0, 1], ids=["reference", "selector"])
@pytest.mark.parametrize(("which", "change"), ELSEWHERE, ids=["link", "form", "button", "method"])
async def test_a_click_that_would_lead_elsewhere_than_the_card_says_is_not_done(
    page: Showing, around: Around, by: int, which: tuple[str, str], change: str
):
    trial = page(FORM)
    here = around.chromium.evaluate("location.href")
    plan = await trial.plan("page.click", selector=which[1] if by else (await outlined(trial))[which[0]])

    around.chromium.evaluate(change)

    with pytest.raises(ProviderError):
        await trial.do(plan)
    assert around.chromium.evaluate("location.href") == here


@pytest.mark.parametrize("field", ["", "<input name=action value=x>"], ids=["plain", "with a field called action"])
async def test_the_card_names_where_the_form_goes_and_not_the_page_that_it_is_on(page: Showing, field: str):
    trial = page(f"<form action='https://pay.example/now' method=post>{field}<button>Send</button></form>")

    plan = await trial.plan("page.click", selector="form button")

    assert plan.preview == "It sends the form to “https://pay.example/now”."
