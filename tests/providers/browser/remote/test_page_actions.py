"""Clicks, fields and scripts in a page: what has begun when it goes wrong is uncertain, all else is told as it is."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

import pytest

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.model import PageAt, Returned
from sayso.providers.browser.remote import page_actions
from sayso.providers.browser.remote.backend import RemoteBackend
from sayso.providers.browser.remote.connection import CallError
from sayso.providers.browser.remote.driver import ActionBounds, BrowserPage, Mouse, ScriptOutcome
from sayso.providers.browser.remote.navigation import ADVICE, page_action
from sayso.providers.browser.remote.page_actions import is_same_text
from tests.desktop_env.browser import Around, Site
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import HANGS, Hang, Showing

HIDDEN = ProviderError("it is hidden", "page.hidden")
UNDONE = "the field was filled in, and has its old value back"


def goes_wrong(wrong: BaseException, *begun: str) -> None:
    with page_action() as action:
        for what in begun:
            action.begin(what)
            if what == UNDONE:
                action.undone()
        raise wrong


@pytest.mark.req("BR-10")
@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        (TimeoutError(), "page.hangs", "the page stopped answering while it was clicked"),
        (HIDDEN, "page.hidden", "it was clicked, and then: it is hidden"),
    ],
)
def test_what_has_begun_when_it_goes_wrong_is_left_open_and_named(wrong: Exception, code: str, said: str):
    with pytest.raises(Uncertain) as told:
        goes_wrong(wrong, "it was clicked")

    assert (told.value.code, str(told.value)) == (code, f"{said}; {ADVICE}")


@pytest.mark.parametrize(
    ("wrong", "begun"),
    [
        (HIDDEN, []),
        (TimeoutError(), []),
        (HIDDEN, ["the field was filled in", UNDONE]),
        (Uncertain("half"), ["it was clicked"]),
        (Refused("no", "url.own_page"), ["it was clicked"]),
    ],
)
def test_what_was_not_begun_is_as_it_was_or_uncertain_already_is_told_as_it_is(wrong: Exception, begun: list[str]):
    with pytest.raises(type(wrong)) as told:
        goes_wrong(wrong, *begun)

    assert told.value is wrong


COUNTS = "<script>window.clicks = 0; addEventListener('click', () => clicks++)</script>"


async def clicked(page: Showing, body: str, selector: str = "#b") -> Facts:
    trial = page(COUNTS + body)
    plan = await trial.plan("page.click", selector=selector)
    (left,) = await trial.do(plan)
    return left.facts


DONE = "document.title='done'"


@pytest.mark.req("S1-45", "C-09")
@pytest.mark.parametrize(
    "body",
    [
        f'<button id=b onclick="{DONE}">Go</button>',
        f"<div style='height:5000px'></div><button id=b onclick=\"{DONE}\">Go</button>",
        f"<a id=b href='#x' onclick=\"{DONE}\">a link<br>over two lines</a>",
        f"<button id=b onclick=\"{DONE}\"><span style='padding:9px'>inside</span></button>",
        f'<label>x<input id=b type=checkbox onchange="{DONE}"></label>',
        f"<button id=b onclick=\"alert('x'); {DONE}\">Go</button>",
        f'<select id=b onmousedown="{DONE}"><option>opens before the mouse is let go of<option>two</select>',
    ],
)
async def test_an_element_is_clicked_wherever_it_is(page: Showing, around: Around, body: str):
    await clicked(page, body)

    assert around.chromium.evaluate("document.title") == "done"


COVERED = [
    "<style>div{position:fixed;inset:0}</style><button id=b>Go</button><div id=over></div>",
    "<style>i{position:fixed;inset:0;opacity:0}</style><input id=b type=submit><i></i>",
    "<style>button{position:fixed;left:10px;top:10px}</style><button id=b>Go</button><button>Pay</button>",
]  # fmt: skip


@pytest.mark.req("BR-06")
@pytest.mark.parametrize("body", COVERED)
async def test_what_lies_under_something_else_is_not_clicked(page: Showing, around: Around, body: str):
    with pytest.raises(ProviderError, match=r"lies under <\w+[^>]*>, which a click would hit; nothing was clicked"):
        await clicked(page, body)

    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-06")
async def test_what_comes_over_it_as_the_mouse_comes_near_is_not_clicked(page: Showing, around: Around):
    over = (
        "<style>p{position:fixed;inset:0;margin:0;display:none}</style><p id=p onclick=\"document.title='paid'\"></p>"
    )
    body = f"{over}<button id=b onmouseover=\"p.style.display='block'\">Go</button>"

    with pytest.raises(ProviderError, match="nothing was clicked"):
        await clicked(page, body)

    assert around.chromium.evaluate("document.title") == "Page"


OVER = "position:fixed;inset:0;width:100%;height:100%;border:0;margin:0"
# It listens to what comes first, so that it lies over the button before the mouse is let go.
SWAPPED = (
    f"<p id=p style='{OVER};display:none' onclick=\"document.title='paid'\"></p><button id=b>Go</button>"
    "<script>b.addEventListener('pointerdown', () => { p.style.display = 'block'; b.remove() })</script>"
)
REMOVED = "<button id=b onmousedown='this.remove()' onclick=\"document.title='clicked'\">Go</button>"


@pytest.mark.req("BR-06")
@pytest.mark.parametrize("body", [SWAPPED, REMOVED])
async def test_what_is_covered_or_goes_away_as_it_is_pressed_was_not_clicked(page: Showing, around: Around, body: str):
    with pytest.raises(Uncertain, match="which then went away or was covered, so it was not clicked"):
        await clicked(page, body)

    assert around.chromium.evaluate("document.title") == "Page"


def clicked_late(page: Showing, around: Around, body: str, code: str) -> None:
    """Click in a page that changes in the last moment before the mouse is pressed."""
    backend = page(COUNTS + body).backend
    assert isinstance(backend, RemoteBackend)

    @contextmanager
    def late(tab: str) -> Generator[BrowserPage]:
        with type(session).page(session, tab) as shown:
            mouse = shown.mouse

            def change(what: Mouse, x: float, y: float) -> None:
                if what == "pressed":
                    shown.evaluate(code, 5)
                mouse(what, x, y)

            shown.mouse = change
            yield shown

    with backend.driver.connected() as session:
        (tab,) = session.tabs()
        session.page = late
        try:
            page_actions.click_element(session, ActionBounds(frozenset()), tab.id, "#b")
        finally:
            del session.page


@pytest.mark.req("BR-06", "BR-10")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_frame_that_comes_over_it_in_the_last_moment_may_have_got_the_click(
    page: Showing, around: Around, host: str
):
    around.web.pages["/under"] = "<script>onclick = () => fetch('/got-it')</script>"
    around.web.asked.clear()
    style = f"{OVER};pointer-events:none;opacity:0"
    body = f"<button id=b>Go</button><iframe id=f src='{around.web.url('/under', host)}' style='{style}'></iframe>"
    shown = "f.style.pointerEvents = 'auto'; document.body.offsetTop"

    with pytest.raises(Uncertain, match="a frame that moved over it may have got the click; look at the page"):
        clicked_late(page, around, body, shown)

    wait_for(lambda: host == "localhost" or "/got-it" in around.web.asked, "the click, in the frame of its own site")
    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-06")
async def test_what_else_comes_over_it_in_the_last_moment_gets_nothing_of_the_click(page: Showing, around: Around):
    over = f"<button id=b>Go</button><p id=p style='{OVER};display:none' onclick=\"document.title='paid'\"></p>"

    with pytest.raises(ProviderError, match="hit <p#p>, which had moved over it, and was stopped") as no:
        clicked_late(page, around, over, "p.style.display = 'block'; document.body.offsetTop")

    assert not isinstance(no.value, Uncertain)
    assert around.chromium.evaluate("document.title") == "Page"


@pytest.mark.req("BR-06")
async def test_what_does_not_stand_still_is_not_clicked(page: Showing, around: Around):
    style = "<style>button{animation:m 1s infinite alternate linear}@keyframes m{to{margin-left:900px}}</style>"

    with pytest.raises(ProviderError, match="does not stand still; nothing was clicked"):
        await clicked(page, f"{style}<button id=b>Go</button>")

    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-10")
@pytest.mark.usefixtures("impatient")
async def test_a_page_that_hangs_once_it_was_clicked_leaves_it_unknown(page: Showing, hang: Hang):
    with pytest.raises(Uncertain, match="stopped answering while it was clicked"):
        await clicked(page, f'<button id=b onclick="{HANGS}">Go</button>')

    assert hang.began.is_set()


DRIFTS = [
    "b.textContent = 'Pay 900'",
    "b.setAttribute('aria-label', 'Pay')",
    "b.setAttribute('role', 'link')",
    "b.id = 'other'; document.body.insertAdjacentHTML('beforeend', '<button id=b>Delete all</button>')",
    "b.hidden = true",
    "b.disabled = true",
    "b.remove()",
    "document.body.insertAdjacentHTML('beforeend', '<button id=b>Go</button>')",
    "history.pushState(0, '', '/page/other')",
]


@pytest.mark.req("BR-04")
@pytest.mark.parametrize("drift", DRIFTS)
async def test_a_page_that_changed_since_is_not_clicked(page: Showing, around: Around, drift: str):
    trial = page(f"{COUNTS}<button id=b>Go</button>")
    plan = await trial.plan("page.click", selector="#b")
    around.chromium.evaluate(drift)

    with pytest.raises(ProviderError):
        await trial.do(plan)

    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-04")
async def test_a_page_that_was_loaded_again_is_not_clicked(page: Showing, around: Around):
    trial = page(f"{COUNTS}<button id=b>Go</button>")
    plan = await trial.plan("page.click", selector="#b")
    url = around.chromium.shown()[0]
    around.chromium.go(around.web.url("/between"))
    around.chromium.go(url)

    with pytest.raises(ProviderError, match="was left or loaded again since"):
        await trial.do(plan)

    assert around.chromium.evaluate("clicks") == 0


async def test_what_a_click_begins_to_load_is_waited_for(page: Showing, around: Around):
    around.web.pages["/slow"] = "<title>Slow</title><script src=/slow.js></script>"

    (fact,) = await clicked(page, "<a id=b href=/slow>Go</a>")

    assert isinstance(fact, PageAt)
    assert fact.url == around.web.url("/slow")


@pytest.mark.req("BR-10", "T-23")
@pytest.mark.parametrize("question", ["confirm('Delete?')", "prompt('Who?')"])
async def test_what_asked_once_it_was_clicked_gets_no_for_an_answer_and_is_not_told_as_not_done(
    page: Showing, around: Around, question: str
):
    with pytest.raises(Uncertain, match=r"clicked, and then: the page asked “(Delete|Who)\?” and got no .*; look at"):
        await clicked(page, f'<button id=b onclick="document.title = String({question})">Go</button>')

    assert around.chromium.evaluate("document.title") in {"false", "null"}


@pytest.mark.req("BR-10")
async def test_a_page_that_does_not_let_a_click_lead_away_was_clicked(page: Showing, around: Around):
    stays = "<script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script><input id=q>"
    trial = page(f"{stays}<a id=b href=/away onclick=\"document.title = 'clicked'\">Go</a>")
    await trial.do(await trial.plan("page.click", selector="#q"))

    with pytest.raises(Uncertain, match="asks before it is left"):
        await trial.do(await trial.plan("page.click", selector="#b"))

    assert around.chromium.evaluate("document.title") == "clicked"
    around.chromium.evaluate("onbeforeunload = null")


@pytest.mark.req("BR-07")
async def test_a_page_gets_no_file_of_the_persons(page: Showing, around: Around):
    with pytest.raises(Uncertain, match="files are chosen by a person"):
        await clicked(page, "<input type=file id=f><button id=b onclick='f.click()'>Go</button>")

    assert around.chromium.evaluate("f.files.length") == 0


@pytest.mark.req("BR-01")
async def test_no_click_leads_to_a_page_of_sayso(page: Showing, announced_pages: tuple[Site, ...]):
    for ours in announced_pages:
        with pytest.raises(Refused, match="sayso's own page"):
            await clicked(page, f"<a id=b href='{ours.url('/clicked')}'>Go</a>")

        assert ours.asked == []


HEARD = (
    "<script>window.heard = []; for (const k of ['input', 'change']) addEventListener(k, e => heard.push(k))</script>"
)
SELECT = "<select id=f><option value=a>One<option value=b>Two</select>"
CARD = "<input id=f autocomplete=cc-number oninput=\"value = value.replace(/(\\d{4})(?=\\d)/g, '$1 ')\">"
FIELDS = [
    ("<input id=f value=old>", "quotes \" ' ` $ and </script> ü🙂"),
    ("<input id=f value=old>", ""),
    ("<textarea id=f>old</textarea>", 'two "lines"\nof text\n'),
    ("<textarea id=f>old</textarea>", "`${document.title = 1}` \u2028 \\'); document.title = 2; //</script>"),
    ("<input id=f type=password value=old>", "geheim"),
    ("<input id=f type=date value=2024-01-01>", "2026-05-04"),
    ("<input id=f type=number value=1>", "42"),
    (SELECT, "b"),
]
VALUE = "document.querySelector('#f').value"


@pytest.mark.req("S1-46", "AP-04", "C-09", "T-23")
@pytest.mark.parametrize(
    ("body", "value", "arrives"),
    [
        *((body, value, value) for body, value in FIELDS),
        (SELECT, "Two", "b"),
        (CARD, "4111111111111111", "4111 1111 1111 1111"),
    ],
)
async def test_a_value_arrives_intact_and_the_page_hears_of_it(
    page: Showing, around: Around, body: str, value: str, arrives: str
):
    trial = page(HEARD + body)

    await trial.do(await trial.plan("page.fill", selector="#f", value=value))

    assert around.chromium.evaluate(VALUE) == arrives
    assert around.chromium.evaluate("heard") == ["input", "change"]
    assert around.chromium.evaluate("document.title") == "Page"


async def test_formatted_text_is_put_in_as_somebody_would_type_it(page: Showing, around: Around):
    trial = page("<div id=f contenteditable>old <b>text</b></div>")

    found: list[str] = []
    for value in ("new", ""):
        plan = await trial.plan("page.fill", selector="#f", value=value)
        lefts = await trial.do(plan)
        found.append(around.chromium.evaluate("f.innerText").strip())
        await trial.take_back(plan, lefts)
        found.append(around.chromium.evaluate("f.innerText").strip())

    assert found == ["new", "old text", "", "old text"]


async def test_the_old_value_comes_back_if_nobody_changed_it_since(page: Showing, around: Around):
    trial = page("<input id=f value=old>")
    plan = await trial.plan("page.fill", selector="#f", value="new")
    lefts = await trial.do(plan)
    await trial.take_back(plan, lefts)
    first = around.chromium.evaluate(VALUE)

    again = await trial.do(plan)
    around.chromium.evaluate("f.value = 'mine'")
    with pytest.raises(ProviderError, match="is not what it was"):
        await trial.take_back(plan, again)

    assert (first, around.chromium.evaluate(VALUE)) == ("old", "mine")


async def test_several_fields_are_filled_in_one_batch_and_taken_back(page: Showing, around: Around):
    trial = page("<input id=a value=1><input id=b value=2>")
    plans = [await trial.plan("page.fill", selector="#a", value="x")]
    for selector, value in (("#b", "y"), ("#a", "z")):
        trial.imagine(plans[-1])
        plans.append(await trial.plan("page.fill", selector=selector, value=value))

    lefts = [await trial.do(plan, number) for number, plan in enumerate(plans)]
    between = around.chromium.evaluate("a.value + b.value")
    for plan, left in reversed(list(zip(plans, lefts, strict=True))):
        await trial.take_back(plan, left)

    assert (between, around.chromium.evaluate("a.value + b.value")) == ("zy", "12")


NOT_TAKEN = [
    ("<input id=f value=old maxlength=3 oninput='value = value.slice(0, 3)'>", "longer", "it holds “lon” instead"),
    ("<input id=f value=old>", "two\nlines", "it holds “twolines” instead"),
    ("<input id=f type=number value=7>", "seven", "it holds “” instead"),
    (SELECT, "c", "it has: “a”, “b”"),
]


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("body", "value", "said"), NOT_TAKEN)
async def test_a_field_that_does_not_take_it_has_its_old_value(
    page: Showing, around: Around, body: str, value: str, said: str
):
    trial = page(body)
    before = around.chromium.evaluate(VALUE)
    plan = await trial.plan("page.fill", selector="#f", value=value)

    with pytest.raises(ProviderError, match=said) as no:
        await trial.do(plan)

    assert not isinstance(no.value, Uncertain)
    assert around.chromium.evaluate(VALUE) == before


OPEN = [
    (
        "<input id=f value=old oninput=\"value = 'stuck'\">",
        "it holds “stuck” instead, and does not have its old value back",
    ),
    (
        "<input id=f type=password value=old oninput='value = value.slice(0, 3)'>",
        "it holds another value instead, and does",
    ),
    (
        "<input id=f autocomplete=cc-number value=old oninput='value = value.slice(0, 3)'>",
        "it holds another value instead",
    ),
    ("<input id=f value=old oninput=\"confirm('Sure?')\">", "filled in, and then: the page asked “Sure"),
    ("<input id=f value=old onchange='this.remove()'>", "filled in, and then: “#f” finds nothing"),
    ("<input id=f value=old onchange='this.disabled = true'>", "filled in, and then: what “#f” finds is disabled"),
]


@pytest.mark.req("T-23", "BR-10")
@pytest.mark.parametrize(("body", "said"), OPEN)
async def test_a_field_that_was_filled_in_and_then_did_something_else_is_not_told_as_not_done(
    page: Showing, body: str, said: str
):
    trial = page(body)

    with pytest.raises(Uncertain, match=said) as no:
        await trial.do(await trial.plan("page.fill", selector="#f", value="4111111111111111"))

    assert "look at the page before you try it again" in str(no.value)
    assert "411" not in str(no.value)


@pytest.mark.parametrize("body", ["<input id=f type=checkbox>", "<button id=f>x</button>", "<input id=f readonly>"])
async def test_what_is_no_field_is_not_filled(page: Showing, body: str):
    with pytest.raises(ProviderError, match="is not a field that can be filled in"):
        await page(body).plan("page.fill", selector="#f", value="x")


async def test_a_field_that_can_no_longer_be_filled_is_left_alone(page: Showing, around: Around):
    trial = page("<input id=f value=old>")
    plan = await trial.plan("page.fill", selector="#f", value="x")
    around.chromium.evaluate("f.readOnly = true")

    with pytest.raises(ProviderError):
        await trial.do(plan)

    assert around.chromium.evaluate(VALUE) == "old"


@pytest.mark.parametrize(
    ("found", "wanted", "is_same"),
    [
        ("(123) 456-7890", "1234567890", True),
        ("a\r\nb", "a\nb", True),
        ("ab", "a\nb", False),
        ("", "-", False),
        ("12", "123", False),
        ("1,000.00", "1000.00", True),
        ("12,50", "12.50", True),
        ("1000", "1 000", True),
        ("1250", "12.50", False),
        ("100", "-100", False),
        ("15", "1,5", False),
        ("1030", "10:30", False),
    ],
)
def test_a_page_may_write_it_its_own_way(found: str, wanted: str, is_same: bool):
    assert is_same_text(found, wanted) is is_same


def test_what_a_script_returned_is_cut_with_its_length_told():
    assert page_actions.script_result("t", "short") == Returned("t", "short", 5)
    assert page_actions.script_result("t", "x" * 10_001) == Returned("t", "x" * 10_000, 10_001, truncated=True)


class Scripted:
    """A page in which a script fails, without a browser."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def evaluate(self, code: str, seconds: float) -> ScriptOutcome:
        raise self._failure


@pytest.mark.parametrize("failure", [TimeoutError(), CallError("Runtime.evaluate", "it went away")])
def test_a_script_that_did_not_end_is_uncertain(failure: Exception):
    with pytest.raises(Uncertain):
        page_actions.evaluate_script(cast("BrowserPage", Scripted(failure)), "1")


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

    assert "its earlier changes stay" in str(wrong.value)
    assert around.chromium.evaluate("document.title") == "did"


@pytest.mark.req("T-23")
@pytest.mark.parametrize("code", ["document.title = 'did'; 1 +", "document.title = 'did'; return 5", "await ("])
async def test_a_script_that_cannot_be_read_has_done_nothing(page: Showing, around: Around, code: str):
    trial = page("")

    with pytest.raises(ProviderError, match="none of it ran: SyntaxError") as wrong:
        await trial.do(await trial.plan("page.run_js", code=code))

    assert not isinstance(wrong.value, Uncertain)
    assert around.chromium.evaluate("document.title") == "Page"


async def test_what_a_page_asks_while_a_script_runs_leaves_it_open(page: Showing, around: Around):
    trial = page("")

    with pytest.raises(Uncertain, match="the script ran, and then: the page asked “Sure"):
        await trial.do(await trial.plan("page.run_js", code="document.title = String(confirm('Sure?'))"))

    assert around.chromium.evaluate("document.title") == "false"
