"""A Firefox is spoken to only on a profile that nobody lives in, unless the settings say so."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.bidi.where import (
    USUAL_FOLDERS,
    endpoint,
    is_own,
    must_not_be_lived_in,
    ports_kept_away,
)
from sayso.providers.browser.live.where import Endpoint, Wanted

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
