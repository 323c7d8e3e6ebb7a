"""Firefox is spoken to by one at a time, whoever that is, and what a killed sayso left behind holds up nobody."""

import socket
import threading
from pathlib import Path

import pytest
from websockets.sync.client import connect

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Ground
from sayso.providers.browser.bidi.firefox import Firefox
from sayso.providers.browser.bidi.spoken import Spoke
from sayso.providers.browser.live.where import Endpoint
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from tests.desktop_env.browser import Around, serving
from tests.providers.browser.bidi.conftest import Speaking


def a_firefox(port: int, home: Path, own: Path | None = None) -> Firefox:
    ground = Ground({}, str(home), str(home / ".sayso"), (), SystemClock(), RandomIds())
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
@pytest.mark.req("BR-09")
def test_another_firefox_where_sayso_had_its_own_is_not_taken_for_it(around: Around, tmp_path: Path):
    browser = a_firefox(around.chromium.port, tmp_path, tmp_path / "own")

    with pytest.raises(ProviderError, match="no browser is running for sayso"), browser.connected():
        pass

    assert around.chromium.shown()


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-09")
def test_a_real_firefox_on_the_profile_of_the_person_is_left_alone(around: Around, tmp_path: Path):
    (tmp_path / ".mozilla").mkdir()
    (tmp_path / ".mozilla" / "firefox").symlink_to(around.chromium.profile.parent)
    browser = a_firefox(around.chromium.port, tmp_path)

    with pytest.raises(SetupError, match="the profile you live in"), browser.connected():
        pass

    assert around.chromium.shown()


@pytest.mark.needs("firefox-esr")
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
        thread.join(60)

    assert found == [1, 1, 1, 1]


@pytest.mark.needs("firefox-esr")
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
def test_nothing_of_the_session_stays(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])
    with spoken().connected() as now:
        now.tabs()

    with connect(f"{around.chromium.url}/session") as wire:
        wire.send('{"id": 1, "method": "session.status", "params": {}}')
        assert '"ready":true' in str(wire.recv(10))


def test_it_is_let_go_of_after_each_use(tmp_path: Path):
    Spoke(a_firefox(nobody(), tmp_path)).close()
