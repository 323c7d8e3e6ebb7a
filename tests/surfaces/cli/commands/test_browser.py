"""`sayso browser` starts a browser once, says what it is, and ends it."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sayso.providers.browser.address import announce_page
from tests.desktop_env.session import wait_for
from tests.surfaces.cli.person import sayso


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-09", "BR-01", "C-22")
def test_it_starts_once_serves_and_ends(person: Path):
    started = sayso("browser", "--headless", "--json")
    try:
        again = sayso("browser", "--json")
        listed = sayso(
            "run", "--dialect", "tools", "--json", text='{"name": "browser", "arguments": {"action": "tabs"}}'
        )
        with announce_page(os.environ["SAYSO_HOME"], 9):
            exposed = sayso("browser")
    finally:
        ended = sayso("browser", "--stop", "--json")

    assert (started.code, started.document["started"], again.document["started"]) == (0, True, False)
    assert (started.document["port"], again.document["port"]) == (None, None)
    assert listed.document["results"][0]["data"]["tabs"][0]["url"] == "about:blank"
    assert exposed.code == 2
    assert "does not keep away from it" in exposed.err
    assert ended.document == {"running": False}


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-09")
def test_two_that_start_it_at_once_get_one_browser(person: Path):
    try:
        with ThreadPoolExecutor(2) as both:
            begun = [both.submit(sayso, "browser", "--headless", "--json") for _ in range(2)]
            runs = [one.result() for one in begun]
    finally:
        sayso("browser", "--stop")

    assert [run.code for run in runs] == [0, 0]
    assert sorted(run.document["started"] for run in runs) == [False, True]
    assert len({run.document["profile"] for run in runs}) == 1


def test_a_profile_that_somebody_else_has_open_is_told_and_left_alone(person: Path):
    profile = Path(os.environ["SAYSO_HOME"]) / "browser"
    profile.mkdir(mode=0o700, parents=True)
    words = ["sh", "-c", "sleep 60 & wait", "chromium", f"--user-data-dir={profile}"]
    with subprocess.Popen(words, start_new_session=True) as other:
        wait_for(Path(f"/proc/{other.pid}/cmdline").read_bytes)
        (profile / "SingletonLock").symlink_to(f"host-{other.pid}")
        run = sayso("browser", "--headless")
        os.killpg(other.pid, signal.SIGKILL)

    assert run.code == 2
    assert f"is open already, in process {other.pid}, which does not listen to sayso" in run.err
    assert "close that browser" in run.err


@pytest.mark.needs("chromium")
def test_without_a_screen_it_names_the_way_out(person: Path):
    no = sayso("browser")

    assert no.code == 2
    assert "sayso browser --headless" in no.err


def test_none_was_running(person: Path):
    assert sayso("browser", "--stop").out == "no browser was running\n"


def test_a_browser_of_the_person_is_not_started(person: Path):
    own = Path(os.environ["SAYSO_HOME"])
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[browser]\ncdp_url = "http://127.0.0.1:1"\n')

    no = sayso("browser")

    assert no.code == 2
    assert "browser.cdp_url" in no.err


@pytest.mark.thorough  # the same command with Chromium is in the first ring, and so is Firefox's own start
@pytest.mark.needs("firefox-esr")
@pytest.mark.req("BR-09", "BR-01")
def test_firefox_starts_once_serves_and_ends(person: Path):
    own = Path(os.environ["SAYSO_HOME"])
    started = sayso("browser", "--firefox", "--headless")
    try:
        (own / "config.toml").write_text('[browser]\nkind = "bidi"\n')
        again = sayso("browser", "--json")
        listed = sayso(
            "run", "--dialect", "tools", "--json", text='{"name": "browser", "arguments": {"action": "tabs"}}'
        )
        doctor = sayso("doctor", "--json")
        with announce_page(str(own), 9):
            exposed = sayso("browser")
    finally:
        ended = sayso("browser", "--firefox", "--stop", "--json")

    assert started.code == 0
    assert "sayso config set browser.kind bidi" in started.out
    assert (again.document["started"], again.document["profile"]) == (False, str(own / "browser-firefox"))
    assert listed.document["results"][0]["data"]["tabs"][0]["url"] == "about:blank"
    assert "Firefox at 127.0.0.1:" in str(doctor.document)
    assert exposed.code == 2
    assert "sayso browser --firefox --stop, then sayso browser --firefox" in exposed.err
    assert ended.document == {"running": False}


def test_a_firefox_of_the_person_is_not_started(person: Path):
    own = Path(os.environ["SAYSO_HOME"])
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[browser]\nkind = "bidi"\nbidi_url = "ws://127.0.0.1:1"\n')

    no = sayso("browser")

    assert no.code == 2
    assert "browser.bidi_url" in no.err
