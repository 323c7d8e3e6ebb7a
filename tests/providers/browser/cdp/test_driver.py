"""A Chromium is driven where it may be: on this machine, and not on the profile that the person lives in."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.cdp.driver import (
    KIND,
    is_own,
    must_not_be_lived_in,
    option,
    ports_kept_away,
)
from sayso.providers.browser.remote.connection import ConnectionLost
from sayso.providers.browser.remote.settings import Endpoint, WantedBrowser, find_endpoint, is_loopback
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Driving


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://127.0.0.1:9222", Endpoint("127.0.0.1", 9222)),
        ("http://localhost:9222/", Endpoint("localhost", 9222)),
        ("127.0.0.1:9222", Endpoint("127.0.0.1", 9222)),
        ("ws://[::1]:9222/devtools/browser/ab-cd", Endpoint("::1", 9222, "/devtools/browser/ab-cd")),
        *((url, None) for url in ("ftp://127.0.0.1:1", "http://127.0.0.1", "http://:9", "http://127.0.0.1:x", "://")),
    ],
)
def test_the_settings_say_where_and_what_is_no_such_address_is_named(url: str, found: Endpoint | None):
    if found:
        assert find_endpoint(KIND, WantedBrowser(url), "/nowhere") == found
        return
    with pytest.raises(SetupError, match=r"write it like http://127\.0\.0\.1:9222"):
        find_endpoint(KIND, WantedBrowser(url), "/nowhere")


@pytest.mark.req("BR-09", "SE-03")
@pytest.mark.parametrize("host", ["10.0.0.5", "browser.example", "localhost.example", "128.0.0.1", "[2001:db8::1]"])
def test_a_browser_elsewhere_is_not_spoken_to_until_the_settings_say_so(host: str):
    wanted = WantedBrowser(f"http://{host}:9222")

    with pytest.raises(SetupError, match=r"browser\.remote = true"):
        find_endpoint(KIND, wanted, "/nowhere")

    assert find_endpoint(KIND, WantedBrowser(wanted.url, remote=True), "/nowhere").port == 9222
    here = ["127.0.0.1", "127.9.9.9", "::1", "localhost"]
    assert [name for name in (*here, host, "127.1", "a.localhost") if is_loopback(name)] == here


@pytest.mark.parametrize("told", [None, "", "x", "1\ny", "\n"])
def test_without_a_browser_of_its_own_it_says_how_to_start_one(tmp_path: Path, told: str | None):
    folder = KIND.profile(str(tmp_path))
    folder.mkdir()
    if told is not None:
        (folder / "sayso-port").write_text(told)

    with pytest.raises(ProviderError, match="sayso browser"):
        find_endpoint(KIND, WantedBrowser(), str(tmp_path))


@pytest.mark.req("BR-09")
@pytest.mark.parametrize(
    "line",
    [
        "",
        "/usr/bin/chromium --remote-debugging-port=9222",
        "chromium --user-data-dir=/home/ana/.config/chromium",
        "chrome --user-data-dir=/x --user-data-dir=/home/ana/.config/google-chrome/",
        "chrome --user-data-dir=/home/ana/.config/../.config/microsoft-edge --headless",
        "chrome --user-data-dir=/home/ana/.config/chromium about:blank",
        "vivaldi --user-data-dir=",
    ],
)
def test_the_profile_that_the_person_lives_in_is_left_alone(line: str):
    with pytest.raises(SetupError, match=r"browser\.default_profile = true"):
        must_not_be_lived_in(line, "/home/ana")


@pytest.mark.req("BR-09")
@pytest.mark.parametrize(
    ("place", "profile"),
    [
        ("snap/chromium/common", "chromium"),
        (".var/app/com.google.Chrome/config", "google-chrome"),
        (".var/app/org.chromium.Chromium/config", "chromium"),
    ],
)
def test_the_profile_of_a_packaged_browser_is_left_alone_too(tmp_path: Path, place: str, profile: str):
    (tmp_path / place / profile).mkdir(parents=True)

    with pytest.raises(SetupError, match=r"browser\.default_profile = true"):
        must_not_be_lived_in(f"chromium --user-data-dir={tmp_path / place / profile} about:blank", str(tmp_path))


@pytest.mark.parametrize("line", ["chromium --user-data-dir=/home/ana/other", "x --user-data-dir=/a b --headless"])
def test_any_other_profile_may_be_spoken_to(line: str):
    must_not_be_lived_in(line, "/home/ana")


def test_the_last_of_an_option_counts_and_its_own_browser_is_known_by_its_profile():
    assert option("x --a=1 --a=2 --ab=3", "a") == "2"
    assert option("x --ab=3", "a") == ""
    assert is_own("chromium --user-data-dir=/own/browser --headless", Path("/own/browser"))
    assert not is_own("chromium --user-data-dir=/own/browser2 --headless", Path("/own/browser"))
    assert not is_own("chromium", Path("/own/browser"))


RULES = "--host-resolver-rules="


@pytest.mark.req("BR-01")
@pytest.mark.parametrize(
    ("options", "ports"),
    [
        (f"{RULES}MAP *:8737 ~NOTFOUND, MAP *:9 ~NOTFOUND, MAP a:7 ~NOTFOUND, MAP *:6 1.1.1.1 --x", {8737, 9}),
        # What may get there all the same keeps away from nothing.
        (f"{RULES}MAP *:8737 ~NOTFOUND, EXCLUDE localhost", set[int]()),
        (f"{RULES}MAP *.test 127.0.0.1, MAP *:8737 ~NOTFOUND", set[int]()),
        (f"{RULES}MAP *:8737 ~NOTFOUND --proxy-server=127.0.0.1:3128", set[int]()),
        (f"--proxy-pac-url=http://x/ {RULES}MAP *:8737 ~NOTFOUND", set[int]()),
    ],
)
def test_a_browser_says_which_ports_it_keeps_away_from(options: str, ports: set[int]):
    assert ports_kept_away(f"chromium --headless {options} about:blank") == ports


@pytest.mark.needs("chromium")
def test_a_lost_connection_is_made_anew(around: Around, driving: Driving):
    browser = driving()
    with browser.connected() as first:
        pass
    with pytest.raises(ConnectionLost), browser.connected():
        raise ConnectionLost("gone")
    with browser.connected() as second:
        key = second.key

    assert first is not second
    assert key == around.chromium.path.rpartition("/")[2][:8]
