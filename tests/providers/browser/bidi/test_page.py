"""Pages of a Firefox: what they load and ask, what a script returns as text, and what is done in one."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.bidi.page import FirefoxLoadWatch, as_text
from sayso.providers.browser.bidi.protocol import ScriptValue
from sayso.providers.browser.model import Returned
from sayso.providers.browser.remote.connection import ProtocolClient
from sayso.providers.browser.remote.navigation import PageDialog
from sayso.testing.fakes import FakeClock
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Showing, kept


class Wire:
    """Brings what it was given, one text at a time."""

    def __init__(self, *events: tuple[str, dict[str, Any]]) -> None:
        self.sent: list[dict[str, Any]] = []
        self._events = [{"type": "event", "method": f"browsingContext.{name}", "params": told} for name, told in events]
        self.waited = 0
        """How often something was waited for that did not come."""

    def send(self, *texts: bytes) -> None:
        self.sent += [msgspec.json.decode(text) for text in texts]

    def receive(self, seconds: float) -> list[bytes]:
        if not self._events:
            self.waited += 1
            raise TimeoutError
        return [msgspec.json.encode(self._events.pop(0))]

    def close(self) -> None:
        """Nothing to close."""


def watch(*events: tuple[str, dict[str, Any]]) -> tuple[FirefoxLoadWatch, Wire]:
    """Return a watch on a tab that has heard these events."""
    wire = Wire(*events)
    client = ProtocolClient(wire, FakeClock())
    watch = FirefoxLoadWatch(client, "tab")
    client.pause(1)  # until all has been heard
    return watch, wire


HERE = {"context": "tab", "url": "y"}
STARTED = ("navigationStarted", {"context": "tab", "url": "x"})


WORDS = ("navigationCommitted", {"context": "tab", "url": "about:neterror?e=dnsNotFound"})
"""The browser's own words in place of a page."""


@pytest.mark.parametrize(
    ("events", "waits", "downloads"),
    [
        ((STARTED, ("load", HERE)), 0, []),
        ((STARTED, ("navigationFailed", HERE)), 0, []),
        ((STARTED, ("fragmentNavigated", HERE)), 0, []),
        ((STARTED, WORDS), 0, []),
        ((STARTED,), 1, []),
        ((STARTED, ("navigationCommitted", HERE)), 1, []),
        ((STARTED, ("downloadWillBegin", HERE), ("downloadEnd", {**HERE, "status": "complete"})), 0, ["y"]),
        ((("userPromptOpened", {"context": "other", "type": "confirm"}),), 0, []),
    ],
)
def test_what_has_come_is_not_waited_for_and_other_tabs_do_not_matter(
    events: tuple[tuple[str, dict[str, Any]], ...], waits: int, downloads: list[str]
):
    watching, wire = watch(*events)
    before = wire.waited

    watching.wait()

    assert (watching.downloads, wire.waited - before, wire.sent) == (downloads, waits, [])


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt", "beforeunload"])
def test_only_an_alert_gets_a_yes(kind: str):
    watching, wire = watch(("userPromptOpened", {"context": "tab", "type": kind, "message": "Sure?"}))

    watching.wait()

    assert watching.dialogs == [PageDialog(kind, "Sure?")]
    assert [one["params"] for one in wire.sent] == [{"context": "tab", "accept": kind == "alert"}]


def number(value: object) -> dict[str, object]:
    return {"type": "number", "value": value}


TEXT = {"type": "string", "value": "ü"}
YES = {"type": "boolean", "value": True}


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("undefined", None, ""),
        ("null", None, "null"),
        ("string", "ü\n", "ü\n"),
        ("number", 6, "6"),
        ("number", 1.5, "1.5"),
        ("number", "NaN", "NaN"),
        ("number", "-0", "-0"),
        ("boolean", True, "true"),
        ("bigint", "10", "10n"),
        ("date", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"),
        ("array", [number(1), TEXT, {"type": "null"}, number("NaN")], '[1, "ü", null, null]'),
        ("object", [["a", {"type": "object", "value": [["b", YES]]}]], '{"a": {"b": true}}'),
        ("map", [[number(1), {"type": "bigint", "value": "2"}]], '{"1": "2n"}'),
        ("set", [{"type": "undefined"}, {"type": "function"}], '[null, "[function]"]'),
        ("regexp", {"pattern": "a+", "flags": "i"}, "/a+/i"),
        ("regexp", {"pattern": "a"}, "/a/"),
        ("function", None, "[function]"),
        ("window", {"context": "x"}, "[window]"),
        ("array", None, '"[array]"'),
    ],
)  # fmt: skip
def test_each_kind_has_its_text(type_: str, value: Any, text: str):
    assert as_text(ScriptValue(type_, value)) == text


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("S1-45", "S1-46", "S1-47", "BR-10", "BR-07")
async def test_a_page_is_clicked_filled_pictured_and_left_and_what_it_asks_gets_no(
    page: Showing, around: Around, scratch_home: Path, file: str
):
    trial = page(
        "<button id=b onclick=\"document.title='clicked'\">Go</button><div id=f contenteditable>old</div>"
        "<a id=n href=/next>next</a>"
    )

    await trial.do(await trial.plan("page.click", selector="#b"))
    await trial.do(await trial.plan("page.fill", selector="#f", value="new"))
    did = around.chromium.evaluate("document.title + f.innerText")
    picture = Path(str((await trial.answer("page.screenshot")).data["path"])).read_bytes()
    with pytest.raises(ProviderError, match="a file to download, not a page"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/file")))
    await trial.do(await trial.plan("page.click", selector="#n"))
    with pytest.raises(Uncertain, match="the page asked “Sure"):
        await trial.do(await trial.plan("page.run_js", code="document.title = String(confirm('Sure?'))"))

    assert kept(around, scratch_home, file) == set()
    assert (did, picture[:4]) == ("clickednew", b"\x89PNG")
    assert around.chromium.shown() == [around.web.url("/next")]
    assert around.chromium.evaluate("document.title") == "false"


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
async def test_a_script_runs_once(page: Showing, around: Around):
    trial = page("<script>window.count = 0</script>")

    with pytest.raises(ProviderError, match="SyntaxError"):
        await trial.do(await trial.plan("page.run_js", code="window.count += 1; eval('await 1')"))

    assert around.chromium.evaluate("window.count") == 1


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("S1-44", "C-09")
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("const now = await Promise.resolve(3); window.later = now", ""),
        ("// nothing", ""),
        ("new Map([[1, new Set([2])]])", '{"1": [2]}'),
    ],
)
async def test_what_only_firefox_tells_this_way(page: Showing, code: str, text: str):
    trial = page("")

    (left,) = await trial.do(await trial.plan("page.run_js", code=code))

    (fact,) = left.facts
    assert isinstance(fact, Returned)
    assert fact.text == text
