"""A Firefox is driven only on a profile that nobody lives in, and by one sayso at a time."""

import threading
from pathlib import Path

import pytest
from websockets.sync.client import connect

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.bidi.driver import (
    USUAL_FOLDERS,
    is_own,
    must_not_be_lived_in,
    ports_kept_away,
)
from tests.desktop_env.browser import Around
from tests.patience import patience
from tests.providers.browser.conftest import Driving

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
def test_a_link_to_the_usual_profile_is_the_usual_profile_and_any_other_may_be_spoken_to(tmp_path: Path):
    profile = tmp_path / ".mozilla" / "firefox" / "ab.default"
    profile.mkdir(parents=True)
    (tmp_path / "innocent").symlink_to(profile)

    for path in (str(tmp_path / "innocent"), ""):
        with pytest.raises(SetupError):
            must_not_be_lived_in(path, str(tmp_path))
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


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_tabs_keep_their_ids_from_one_use_to_the_next(around: Around, driving: Driving):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")], [around.web.url("/3")])
    found: list[list[tuple[str, str]]] = []
    for _ in range(3):
        with driving().connected() as session:
            found.append([(tab.id, tab.window) for tab in session.tabs()])

    assert found[0] == found[1] == found[2]
    assert len({tab for tab, _ in found[0]}) == 3
    assert len({window for _, window in found[0]}) == 2


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_two_at_once_take_turns(around: Around, driving: Driving):
    around.chromium.arrange([around.web.url("/1")])
    found: list[int] = []

    def look() -> None:
        with driving().connected() as session:
            found.append(len(session.tabs()))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience())

    assert found == [1, 1, 1, 1]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-10")
def test_what_a_killed_sayso_left_behind_holds_up_nobody_and_nothing_of_a_session_stays(
    around: Around, driving: Driving
):
    around.chromium.arrange([around.web.url("/1")])
    killed = driving()
    with killed.connected() as session:
        before = [tab.url for tab in session.tabs()]
        # As the kernel does when a process is killed: the connection is gone, and nobody ended the session.
        session.client.close()

    with driving().connected() as session:
        after = [tab.url for tab in session.tabs()]

    assert after == before
    with connect(f"{around.chromium.url}/session") as wire:
        wire.send('{"id": 1, "method": "session.status", "params": {}}')
        assert '"ready":true' in str(wire.recv(patience()))


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_another_program_that_drives_it_is_not_thrown_out(around: Around, driving: Driving):
    around.chromium.arrange([around.web.url("/1")])
    with around.chromium.speaking() as other:
        with pytest.raises(ProviderError, match="another program drives that Firefox") as no, driving().connected():
            pass
        still = len(other.tabs())

    assert (no.value.code, still) == ("browser.taken", 1)
    with driving().connected() as session:
        assert len(session.tabs()) == 1
