"""A click meets the element that was approved, as it was, where it is; anything else is refused before it happens."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.facts import PageAt
from sayso.providers.browser.live import clicking
from tests.desktop_env.browser import Around, Site
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Showing

COUNTS = "<script>window.clicks = 0; addEventListener('click', () => clicks++)</script>"


async def clicked(page: Showing, body: str, selector: str = "#b") -> Facts:
    trial = page(COUNTS + body)
    plan = await trial.plan("page.click", selector=selector)
    (left,) = await trial.do(plan)
    return left.facts


@pytest.mark.req("S1-45", "C-09")
@pytest.mark.parametrize(
    "body",
    [
        "<button id=b onclick=\"document.title='done'\">Go</button>",
        "<div style='height:5000px'></div><button id=b onclick=\"document.title='done'\">Go</button>",
        "<a id=b href='#x' onclick=\"document.title='done'\">a link<br>over two lines</a>",
        "<button id=b onclick=\"document.title='done'\"><span style='padding:9px'>inside</span></button>",
        "<label>x<input id=b type=checkbox onchange=\"document.title='done'\"></label>",
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


@pytest.mark.req("BR-06")
async def test_what_comes_over_it_in_the_very_moment_is_not_clicked(page: Showing, around: Around):
    # It listens to what comes first, so that it lies over the button before the mouse is let go.
    over = "<p id=p style='position:fixed;inset:0;margin:0;display:none' onclick=\"document.title='paid'\"></p>"
    swap = "<script>b.addEventListener('pointerdown', () => { p.style.display = 'block'; b.remove() })</script>"

    with pytest.raises(Uncertain, match="was pressed, and went away or was covered before that was a click; the rest"):
        await clicked(page, f"{over}<button id=b>Go</button>{swap}")

    assert around.chromium.evaluate("document.title") == "Page"


class Late:
    """Hands on a page that changes in the last moment before the mouse is pressed."""

    def __init__(self, hands: Any, code: str) -> None:
        self._hands = hands
        self._code = code

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hands, name)

    @contextmanager
    def inside(self, tab: str) -> Generator[Any]:
        with self._hands.inside(tab) as page:
            mouse = page.mouse

            def changed(what: str, x: float, y: float) -> None:
                if what == "pressed":
                    page.evaluate(self._code, 5)
                mouse(what, x, y)

            page.mouse = changed
            yield page


def clicked_late(page: Showing, around: Around, body: str, code: str) -> None:
    live: Any = page(COUNTS + body).backend
    with live.browser.connected() as now:
        (tab,) = now.tabs()
        late: Any = Late(now.hands(frozenset(), None), code)
        clicking.clicked(late, tab.id, "#b")


OVER = "position:fixed;inset:0;width:100%;height:100%;border:0;margin:0"


def framed(around: Around, src: str) -> str:
    around.web.pages["/under"] = "<script>onclick = () => fetch('/got-it')</script>"
    around.web.asked.clear()
    return f"<button id=b>Go</button><iframe id=f src='{src}' style='{OVER};pointer-events:none;opacity:0'></iframe>"


SHOWN = "f.style.pointerEvents = 'auto'; document.body.offsetTop"


@pytest.mark.req("BR-06", "BR-10")
async def test_a_frame_that_comes_over_it_in_the_last_moment_may_have_got_the_click(page: Showing, around: Around):
    with pytest.raises(Uncertain, match="may have gone into a frame that came over it; look at the page"):
        clicked_late(page, around, framed(around, "/under"), SHOWN)

    wait_for(lambda: "/got-it" in around.web.asked, "the click, in the frame")
    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-06", "BR-10")
async def test_a_frame_of_another_site_may_have_got_the_click_too(page: Showing, around: Around):
    with pytest.raises(Uncertain, match="may have gone into a frame that came over it; look at the page"):
        clicked_late(page, around, framed(around, around.web.url("/under", "localhost")), SHOWN)

    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-06")
async def test_what_else_comes_over_it_in_the_last_moment_gets_nothing_of_the_click(page: Showing, around: Around):
    over = f"<button id=b>Go</button><p id=p style='{OVER};display:none' onclick=\"document.title='paid'\"></p>"

    with pytest.raises(ProviderError, match="met <p#p>, which came over it; it was stopped") as no:
        clicked_late(page, around, over, "p.style.display = 'block'; document.body.offsetTop")

    assert not isinstance(no.value, Uncertain)
    assert around.chromium.evaluate("document.title") == "Page"


@pytest.mark.req("BR-06")
async def test_what_goes_away_as_it_is_pressed_was_not_clicked(page: Showing, around: Around):
    gone = "<button id=b onmousedown='this.remove()' onclick=\"document.title='clicked'\">Go</button>"

    with pytest.raises(Uncertain, match="was pressed, and went away or was covered before that was a click"):
        await clicked(page, gone)

    assert around.chromium.evaluate("document.title") == "Page"


async def test_a_list_is_clicked_though_it_opens_before_the_mouse_is_let_go_of(page: Showing):
    await clicked(page, "<select id=b><option>one<option>two</select>")


@pytest.mark.req("BR-06")
async def test_what_does_not_stand_still_is_not_clicked(page: Showing, around: Around):
    style = "<style>button{animation:m 1s infinite alternate linear}@keyframes m{to{margin-left:900px}}</style>"

    with pytest.raises(ProviderError, match="does not stand still; nothing was clicked"):
        await clicked(page, f"{style}<button id=b>Go</button>")

    assert around.chromium.evaluate("clicks") == 0


@pytest.mark.req("BR-10")
async def test_a_page_that_hangs_once_it_was_clicked_leaves_it_unknown(page: Showing, around: Around):
    hangs = "fetch('/clicked'); const end = Date.now() + 13000; while (Date.now() < end);"

    with pytest.raises(Uncertain, match="stopped answering while it was clicked"):
        await clicked(page, f'<button id=b onclick="{hangs}">Go</button>')

    wait_for(lambda: "/clicked" in around.web.asked, "what the click began")


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


async def test_an_alert_does_not_hold_up_anything(page: Showing, around: Around):
    await clicked(page, "<button id=b onclick=\"alert('x'); document.title = 'done'\">Go</button>")

    assert around.chromium.evaluate("document.title") == "done"


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
