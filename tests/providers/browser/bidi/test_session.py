"""A Firefox is spoken to only on a profile that nobody lives in, unless the settings say so."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import connect

from sayso.core.errors import ProviderError, Refused, SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi import session
from sayso.providers.browser.bidi.driver import Spoke
from sayso.providers.browser.bidi.session import (
    USUAL_FOLDERS,
    Firefox,
    Notes,
    Sight,
    Waiting,
    anew,
    endpoint,
    is_own,
    must_be_kept_away,
    must_not_be_lived_in,
    ports_kept_away,
    preference,
    recognize_tabs,
    turn,
)
from sayso.providers.browser.remote.backend import Dialog
from sayso.providers.browser.remote.connection import Devtools
from sayso.providers.browser.remote.settings import Endpoint, Wanted
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around, serving
from tests.desktop_env.session import wait_for
from tests.patience import patience
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.cdp.test_guard import HOSTS, WAYS, Way, lead, visits
from tests.providers.browser.conftest import Making

INI = """
[Install4F96D1932A9F858E]
Default=ab.default-esr
Locked=1

[Profile1]
Name=default
IsRelative=1
Path=cd.default
Default=1

[Profile0]
Name=default-esr
IsRelative=1
Path=ab.default-esr

[Profile2]
Name=sayso
IsRelative=1
Path=ef.sayso

[General]
StartWithLastProfile=1
"""


def test_the_settings_say_where():
    found = endpoint(Wanted("ws://localhost:9222"), "/nowhere")

    assert found == Endpoint("localhost", 9222)


@pytest.mark.req("BR-09", "SE-03")
def test_one_on_another_machine_is_not_spoken_to_until_the_settings_say_so():
    with pytest.raises(SetupError, match=r"browser\.remote = true"):
        endpoint(Wanted("ws://10.0.0.5:9222"), "/nowhere")


def test_without_one_of_its_own_it_says_how_to_start_one(tmp_path: Path):
    with pytest.raises(ProviderError, match="sayso browser --firefox"):
        endpoint(Wanted(), str(tmp_path))


@pytest.mark.req("BR-09")
@pytest.mark.parametrize("folder", USUAL_FOLDERS)
def test_the_usual_profiles_are_left_alone(tmp_path: Path, folder: str):
    profiles = tmp_path / folder
    for name in ("ab.default-esr", "cd.default", "ef.sayso", "gh.unknown"):
        (profiles / name).mkdir(parents=True)
    (profiles / "profiles.ini").write_text(INI)

    for name in ("ab.default-esr", "cd.default", "gh.unknown", "ef.sayso/../cd.default"):
        with pytest.raises(SetupError, match=r"browser\.default_profile = true"):
            must_not_be_lived_in(str(profiles / name), str(tmp_path))
    must_not_be_lived_in(str(profiles / "ef.sayso"), str(tmp_path))


@pytest.mark.req("BR-09")
@pytest.mark.parametrize("ini", [None, "", "no sections", "[Profile0]\nName=x\n"])
def test_where_nothing_says_which_is_usual_all_are(tmp_path: Path, ini: str | None):
    profile = tmp_path / ".mozilla" / "firefox" / "ab.default"
    profile.mkdir(parents=True)
    if ini is not None:
        (profile.parent / "profiles.ini").write_text(ini)

    with pytest.raises(SetupError):
        must_not_be_lived_in(str(profile), str(tmp_path))


@pytest.mark.req("BR-09")
def test_a_link_to_the_usual_profile_is_the_usual_profile(tmp_path: Path):
    profile = tmp_path / ".mozilla" / "firefox" / "ab.default"
    profile.mkdir(parents=True)
    (tmp_path / "innocent").symlink_to(profile)

    for path in (str(tmp_path / "innocent"), ""):
        with pytest.raises(SetupError):
            must_not_be_lived_in(path, str(tmp_path))


def test_any_other_profile_may_be_spoken_to(tmp_path: Path):
    must_not_be_lived_in(str(tmp_path / "firefox-sayso"), str(tmp_path))


def test_its_own_is_known_by_its_profile(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path)

    assert is_own(str(tmp_path / "link" / "x"), tmp_path / "x")
    assert not is_own(str(tmp_path / "x2"), tmp_path / "x")
    assert not is_own("", Path.cwd())


@pytest.mark.req("BR-01")
@pytest.mark.parametrize(
    ("line", "ports"),
    [
        ('user_pref("network.security.ports.banned", "8737,9000");', [8737, 9000]),
        ('user_pref("a", 1);\nuser_pref("network.security.ports.banned", "8737");\nuser_pref("b", 2);', [8737]),
        ('// user_pref("network.security.ports.banned", "8737");', []),
        ('user_pref("network.security.ports.banned.override", "8737");', []),
        ('user_pref("networkXsecurity.ports.banned", "8737");', []),
        ('user_pref("network.security.ports.banned", "1-65535");', []),
        ("", []),
    ],
)
def test_a_profile_says_which_ports_it_keeps_away_from(tmp_path: Path, line: str, ports: list[int]):
    (tmp_path / "prefs.js").write_text(line)

    assert sorted(ports_kept_away(str(tmp_path))) == ports
    assert ports_kept_away(str(tmp_path / "none")) == frozenset()


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


def waited(*events: tuple[str, dict[str, Any]]) -> tuple[Waiting, Wire]:
    wire = Wire(*events)
    calls = Devtools(wire, FakeClock())
    waiting = Waiting(calls, "tab")
    calls.wait(lambda: False, 1)  # until all has been heard
    return waiting, wire


HERE = {"context": "tab", "url": "y"}
STARTED = ("navigationStarted", {"context": "tab", "url": "x"})


WORDS = ("navigationCommitted", {"context": "tab", "url": "about:neterror?e=dnsNotFound"})
"""The browser's own words in place of a page."""


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ((STARTED, ("load", HERE)), 0),
        ((STARTED, ("navigationFailed", HERE)), 0),
        ((STARTED, ("fragmentNavigated", HERE)), 0),
        ((STARTED, WORDS), 0),
        ((STARTED,), 1),
        ((STARTED, ("navigationCommitted", HERE)), 1),
    ],
)
def test_what_has_come_is_not_waited_for(events: tuple[tuple[str, dict[str, Any]], ...], waits: int):
    waiting, wire = waited(*events)
    before = wire.waited

    waiting.until_there()

    assert (waiting.downloads, wire.waited - before) == ([], waits)


def test_a_file_is_there_once_it_has_come():
    waiting, _ = waited(STARTED, ("downloadWillBegin", HERE), ("downloadEnd", {**HERE, "status": "complete"}))

    waiting.until_there()

    assert waiting.downloads == ["y"]


def test_what_other_tabs_do_does_not_matter():
    waiting, wire = waited(("userPromptOpened", {"context": "other", "type": "confirm"}))

    waiting.until_there()

    assert wire.sent == []


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt", "beforeunload"])
def test_only_an_alert_gets_a_yes(kind: str):
    waiting, wire = waited(("userPromptOpened", {"context": "tab", "type": kind, "message": "Sure?"}))

    waiting.until_there()

    assert waiting.dialogs == [Dialog(kind, "Sure?")]
    assert [one["params"] for one in wire.sent] == [{"context": "tab", "accept": kind == "alert"}]


BY_ITSELF = {".".join("0000")}
"""Where Firefox goes on no port at all."""
NAMED, OWN = Endpoint("127.0.0.1", 1), Endpoint("127.0.0.1", 1, own=Path("/own"))


@pytest.fixture
def trial(around: Around, making: Making, scratch_home: Path) -> Trial:
    around.chromium.arrange([around.web.url("/begin")])
    return Trial(BROWSER, making())


async def go(trial: Trial, around: Around, way: Way, url: str) -> None:
    """Take the way, as far as the browser lets anybody."""
    with suppress(SaysoError):
        await trial.do(await trial.plan("url.open", url=url))
        if way.made:
            await trial.do(await trial.plan("page.click", selector=way.made))
        # What the page began has been let through or stopped once another page could be fetched after it.
        await trial.do(await trial.plan("page.run_js", code="fetch('/still').then(r => r.text())"))


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01")
async def test_no_spelling_of_the_address_is_opened(trial: Trial, around: Around, scratch_home: Path):
    with announce_page(str(scratch_home.parent / "sayso"), around.kept_away.port):
        for host in HOSTS:
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.plan("url.open", url=around.kept_away.url("/reached", host))


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_leads_there_within_the_browser(trial: Trial, around: Around, host: str, mark: str):
    around.web.pages["/go"] = (302, {"location": around.kept_away.url(mark, host)}, b"")
    with pytest.raises(SaysoError):
        await trial.do(await trial.plan("url.open", url=around.web.url("/go")))
    around.web.pages["/go"] = (302, {"location": around.free.url(mark, host)}, b"")
    with suppress(SaysoError):
        await trial.do(await trial.plan("url.open", url=around.web.url("/go")))

    assert visits(mark, around.kept_away) == []
    assert bool(visits(mark, around.free)) is (host not in BY_ITSELF)


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01")
@pytest.mark.parametrize("name", WAYS)
async def test_no_way_leads_there(trial: Trial, around: Around, name: str, mark: str):
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.kept_away, mark))
    await go(trial, around, WAYS[name], lead(around, WAYS[name], around.free, mark))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01")
async def test_it_keeps_away_without_anybody_watching(trial: Trial, around: Around, mark: str):
    sockets = "<script>for (const port of [{}, {}]) new WebSocket(`ws://127.0.0.1:${{port}}{}`)</script>"
    around.web.pages["/sockets"] = sockets.format(around.kept_away.port, around.free.port, mark)

    around.chromium.open_tab(around.kept_away.url(mark, "name.test"))
    around.chromium.open_tab(around.web.url("/sockets"))

    wait_for(lambda: visits(mark, around.free), "the control, which nothing guards")
    assert visits(mark, around.kept_away) == []


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01", "SE-02")
async def test_a_page_of_sayso_that_the_person_has_open_is_neither_told_nor_touched(
    trial: Trial, around: Around, scratch_home: Path
):
    ours, other = around.free.url("/mine#secret"), around.web.url("/other")
    around.chromium.arrange([ours, other])

    with announce_page(str(scratch_home.parent / "sayso"), around.free.port):
        told = await trial.answer("tab.list")
        for operation in ("tab.url", "tab.title", "page.text", "page.links", "page.screenshot"):
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.answer(operation)
        for operation, rest in (("page.click", {"selector": "h1"}), ("page.run_js", {"code": "1"})):
            with pytest.raises(Refused, match="sayso's own page"):
                await trial.plan(operation, **rest)
        await trial.do(await trial.plan("tab.close", indices=[1]))

    assert told.text == f"1. “/other” {other}"
    assert around.chromium.shown() == [ours]


@pytest.mark.req("BR-01")
def test_a_browser_that_was_not_told_is_left_alone():
    must_be_kept_away(NAMED, frozenset({1, 2}), frozenset({1, 2, 3}))

    for at in (NAMED, OWN):
        with pytest.raises(SetupError, match="nothing is done in its pages") as no:
            must_be_kept_away(at, frozenset({1, 2}), frozenset({2, 3}))
        assert str(no.value).endswith(anew(at, frozenset({1, 2}), frozenset({2, 3})))


def test_it_is_said_how_it_is_told():
    again = anew(OWN, frozenset({1}), frozenset())

    assert preference([9, 8]) == 'user_pref("network.security.ports.banned", "8,9");'
    assert again.endswith("sayso browser --firefox --stop, then sayso browser --firefox")
    assert '"1,3"' in anew(NAMED, frozenset({1}), frozenset({3}))


FRESH = Notes("run")


def sights(session: str, *pages: tuple[str, str], window: str = "w") -> list[Sight]:
    """Return tabs of one window as a session shows them: what each shows, and when that began."""
    return [Sight(f"{session}{place}", f"{session}{window}", url, began) for place, (url, began) in enumerate(pages)]


def ids(notes: Notes) -> list[str]:
    return [tab.id for tab in notes.tabs]


def test_within_a_session_a_tab_stays_itself_wherever_it_goes():
    first = recognize_tabs(FRESH, sights("a", ("x", "1"), ("y", "2")))
    second = recognize_tabs(first, sights("a", ("elsewhere", "9"), ("y", "2")))

    assert ids(second) == ids(first)
    assert len(set(ids(first))) == 2


def test_in_the_next_session_it_is_known_by_its_page():
    first = recognize_tabs(FRESH, sights("a", ("x", "1"), ("y", "2")))
    second = recognize_tabs(first, sights("b", ("y", "2"), ("x", "1")))

    assert ids(second) == list(reversed(ids(first)))
    assert [tab.window for tab in second.tabs] == [tab.window for tab in first.tabs]


def test_a_page_that_changed_its_own_address_is_still_the_same_load():
    first = recognize_tabs(FRESH, sights("a", ("x", "1")))

    assert ids(recognize_tabs(first, sights("b", ("x#part", "1")))) == ids(first)


def test_a_page_that_was_loaded_anew_is_another():
    first = recognize_tabs(FRESH, sights("a", ("x", "1")))

    assert ids(recognize_tabs(first, sights("b", ("x", "2")))) != ids(first)


def test_of_two_that_look_alike_neither_is_taken_for_the_other():
    first = recognize_tabs(FRESH, sights("a", ("x", "1"), ("x", "1")))
    second = recognize_tabs(first, sights("b", ("x", "1"), ("x", "1")))
    one_left = recognize_tabs(first, sights("b", ("x", "1")))

    assert not set(ids(first)) & set(ids(second))
    assert not set(ids(first)) & set(ids(one_left))


def test_a_page_that_does_not_answer_is_known_by_its_address_alone_if_no_other_has_it():
    first = recognize_tabs(FRESH, sights("a", ("x", ""), ("y", "")))

    assert ids(recognize_tabs(first, sights("b", ("y", ""), ("z", "")))) == [ids(first)[1], "run.4"]


def test_an_id_is_never_given_twice():
    first = recognize_tabs(FRESH, sights("a", ("x", "1")))
    gone = recognize_tabs(first, [])
    again = recognize_tabs(gone, sights("a", ("x", "1")))

    assert not set(ids(first)) & set(ids(again))


def test_a_window_is_the_one_that_most_of_its_tabs_were_in():
    left = sights("a", ("1", "1"), ("2", "2"), ("3", "3"))
    right = sights("A", ("4", "4"))
    first = recognize_tabs(FRESH, [*left, *right])
    moved = [*sights("b", ("2", "2"), ("3", "3"), ("4", "4")), *sights("B", ("1", "1"))]

    second = recognize_tabs(first, moved)

    assert [tab.window for tab in second.tabs[:3]] == [first.tabs[0].window] * 3
    assert second.tabs[3].window not in {first.tabs[0].window, first.tabs[3].window}


def test_addresses_are_not_written_down():
    notes = recognize_tabs(FRESH, sights("a", ("https://bank.example/secret", "1")))

    assert b"secret" not in msgspec.json.encode(notes)


PAGES = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["", "1", "2"])), max_size=6)


@given(before=PAGES, after=PAGES)
def test_whatever_is_seen_no_two_tabs_share_an_id_and_none_goes_to_another_page(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
):
    first = recognize_tabs(FRESH, sights("a", *before))
    second = recognize_tabs(first, sights("b", *after))

    assert len(set(ids(second))) == len(after)
    were = dict(zip(ids(first), before, strict=True))
    for tab, (url, began) in zip(second.tabs, after, strict=True):
        if tab.id in were:
            assert were[tab.id] == (url, began) or (began and were[tab.id][1] == began)


CLOCK = SystemClock()


def test_what_one_keeps_the_next_finds(tmp_path: Path):
    with turn(str(tmp_path), "1.json", CLOCK) as kept:
        kept.keep(Notes("run-with-a-long-name", made=7))
        kept.keep(Notes("run", made=8))
    with turn(str(tmp_path), "1.json", CLOCK) as kept:
        found = kept.notes
    with turn(str(tmp_path), "2.json", CLOCK) as kept:
        other = kept.notes

    assert (found, other) == (Notes("run", made=8), Notes())
    assert (tmp_path / "firefox" / "1.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "firefox").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("text", ["", "{", '{"run": 1}', "[]", "\0"])
def test_what_cannot_be_read_is_forgotten(tmp_path: Path, text: str):
    (tmp_path / "firefox").mkdir()
    (tmp_path / "firefox" / "1.json").write_text(text)

    with turn(str(tmp_path), "1.json", CLOCK) as kept:
        assert kept.notes == Notes()


def test_a_second_waits_for_the_first(tmp_path: Path):
    order: list[str] = []
    begun = threading.Event()

    def second() -> None:
        begun.set()
        with turn(str(tmp_path), "1.json", CLOCK):
            order.append("second")

    with turn(str(tmp_path), "1.json", CLOCK):
        thread = threading.Thread(target=second)
        thread.start()
        begun.wait(patience())
        order.append("first")
    thread.join(patience())

    assert order == ["first", "second"]


def test_who_waits_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "PATIENCE", 0.05)

    with (
        turn(str(tmp_path), "1.json", CLOCK),
        pytest.raises(ProviderError, match="another sayso is busy"),
        turn(str(tmp_path), "1.json", CLOCK),
    ):
        pass


def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "firefox").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "firefox" / "1.json").symlink_to(tmp_path / "mine")

    with pytest.raises(OSError, match="symbolic"), turn(str(tmp_path), "1.json", CLOCK):
        pass

    assert (tmp_path / "mine").read_text() == "mine"


def a_firefox(port: int, home: Path, own: Path | None = None) -> Firefox:
    ground = BackendContext({}, str(home), str(home / ".sayso"), (), SystemClock(), RandomIds())
    return Firefox(lambda: Endpoint("127.0.0.1", port, own=own), ground)


def nobody() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_nobody_there_is_told_with_what_to_do(tmp_path: Path):
    for own, wanted in ((None, "no browser answers: nothing answers at"), (Path("/own"), "sayso browser --firefox")):
        with pytest.raises(ProviderError, match=wanted), a_firefox(nobody(), tmp_path, own).connected():
            pass


def test_somebody_else_there_is_no_browser(tmp_path: Path):
    with (
        serving() as site,
        pytest.raises(ProviderError, match="no browser's DevTools"),
        a_firefox(site.port, tmp_path).connected(),
    ):
        pass


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-09")
def test_another_firefox_where_sayso_had_its_own_is_not_taken_for_it(around: Around, tmp_path: Path):
    browser = a_firefox(around.chromium.port, tmp_path, tmp_path / "own")

    with pytest.raises(ProviderError, match="no browser is running for sayso"), browser.connected():
        pass

    assert around.chromium.shown()


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-09")
def test_a_real_firefox_on_the_profile_of_the_person_is_left_alone(around: Around, tmp_path: Path):
    (tmp_path / ".mozilla").mkdir()
    (tmp_path / ".mozilla" / "firefox").symlink_to(around.chromium.profile.parent)
    browser = a_firefox(around.chromium.port, tmp_path)

    with pytest.raises(SetupError, match="the profile you live in"), browser.connected():
        pass

    assert around.chromium.shown()


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_tabs_keep_their_ids_from_one_use_to_the_next(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")], [around.web.url("/3")])
    found: list[list[tuple[str, str]]] = []
    for _ in range(3):
        with spoken().connected() as now:
            found.append([(tab.id, tab.window) for tab in now.tabs()])

    assert found[0] == found[1] == found[2]
    assert len({tab for tab, _ in found[0]}) == 3
    assert len({window for _, window in found[0]}) == 2


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_two_at_once_take_turns(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])
    found: list[int] = []

    def look() -> None:
        with spoken().connected() as now:
            found.append(len(now.tabs()))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience())

    assert found == [1, 1, 1, 1]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-10")
def test_what_a_killed_sayso_left_behind_holds_up_nobody(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])
    killed = spoken()
    with killed.connected() as now:
        before = [tab.url for tab in now.tabs()]
        # As the kernel does when a process is killed: the connection is gone, and nobody ended the session.
        now.now.calls.close()

    with spoken().connected() as now:
        after = [tab.url for tab in now.tabs()]

    assert after == before


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_another_program_that_drives_it_is_not_thrown_out(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])
    with around.chromium.speaking() as other:
        with pytest.raises(ProviderError, match="another program drives that Firefox") as no, spoken().connected():
            pass
        still = len(other.tabs())

    assert (no.value.code, still) == ("browser.taken", 1)
    with spoken().connected() as now:
        assert len(now.tabs()) == 1


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_nothing_of_the_session_stays(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])
    with spoken().connected() as now:
        now.tabs()

    with connect(f"{around.chromium.url}/session") as wire:
        wire.send('{"id": 1, "method": "session.status", "params": {}}')
        assert '"ready":true' in str(wire.recv(patience()))


def test_it_is_let_go_of_after_each_use(tmp_path: Path):
    Spoke(a_firefox(nobody(), tmp_path)).close()
