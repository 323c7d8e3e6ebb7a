"""An address leads to sayso's own page by its port, whatever its host is called."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.browser.bidi.session import KIND as BIDI
from sayso.providers.browser.cdp.driver import KIND
from sayso.providers.browser.cdp.driver import KIND as CDP
from sayso.providers.browser.remote.launcher import (
    BrowserFamily,
    StartedBrowser,
    find_program,
    find_running,
    free_port,
    must_have_a_screen,
    profile_owner,
    wait_until_ready,
    write_port,
)
from sayso.providers.browser.remote.settings import (
    PORT_FILE,
    Endpoint,
    WantedBrowser,
    downloads_folder,
    explain_unserved,
    find_endpoint,
    leads_to,
    read_settings,
)
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.desktop_env.session import wait_for


@pytest.mark.parametrize(
    ("url", "leads"),
    [
        ("http://x:8737/", True),
        ("view-source:http://x:8737/", True),
        ("View-Source:view-source:http://x:8737/", True),
        ("http://x:8737/?view-source:http://y:1/", True),
        ("http://x:1/?view-source:http://x:8737/", False),
        ("blob:http://x:8737/0a1b", True),
        ("http://x/", True),
        ("https://x/", False),
        ("ws://x", True),
        ("http://x:1/?a=:8737", False),
        ("about:blank", False),
        ("http://[", False),
        ("http://x:99999999/", False),
    ],
)
def test_an_address_leads_there_by_its_port(url: str, leads: bool):
    assert leads_to(url, frozenset({8737, 80})) is leads


def test_no_two_share_anything():
    assert len({CDP.setting, BIDI.setting}) == len({CDP.folder, BIDI.folder}) == len({CDP.start, BIDI.start}) == 2


def test_each_says_how_it_is_started_and_written(tmp_path: Path):
    for each in (CDP, BIDI):
        assert each.start in str(each.not_running())
        assert each.start in str(each.profile_in_use())
        with pytest.raises(SetupError, match=f"{each.setting} in the settings is “ftp://x”; write it like"):
            find_endpoint(each, WantedBrowser("ftp://x"), str(tmp_path))


def test_its_own_is_where_it_has_told(tmp_path: Path):
    for each in (CDP, BIDI):
        each.profile(str(tmp_path)).mkdir()
        (each.profile(str(tmp_path)) / PORT_FILE).write_text("9333")

        assert find_endpoint(each, WantedBrowser(), str(tmp_path)) == Endpoint(
            "127.0.0.1", 9333, own=tmp_path / each.folder
        )


def test_where_none_runs_it_is_said_how_to_start_one_and_is_no_trouble():
    one = explain_unserved(CDP, WantedBrowser(), CDP.not_running())

    assert (one.why, one.fix, one.asked) == ("no browser is running for sayso", "sayso browser", False)


def test_one_that_the_settings_name_and_does_not_answer_is_trouble():
    silent = ProviderError("no browser answers: nothing answers at h:9", "browser.not_running")

    one = explain_unserved(CDP, WantedBrowser("http://h:9"), silent)

    assert one.asked
    assert one.why.endswith("(browser.cdp_url names it)")
    assert "sayso config unset browser.cdp_url" in one.fix


def test_what_the_settings_must_allow_first_is_told_with_what_to_set():
    one = explain_unserved(BIDI, WantedBrowser("http://h:9"), BIDI.profile_in_use())

    assert "the profile you live in" in one.why
    assert one.fix.startswith("start one with a profile of its own")


def ground(roots: tuple[str, ...] = (), **settings: Any) -> BackendContext:
    options = {"confirm_sites": ["bank.test"]}
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", roots, FakeClock(), RandomIds(), options=options)


def test_nothing_set_means_a_browser_of_sayso():
    found = read_settings(ground(), KIND)

    assert (found.wanted, found.program, found.downloads) == (WantedBrowser(), "", None)
    assert found.sites.confirm_sites == ("bank.test",)


def test_all_settings_arrive():
    found = read_settings(
        ground(cdp_url="http://[::1]:1", remote=True, default_profile=True, sites={"x": "x.org"}, schemes=["ftp"]),
        KIND,
    )

    assert found.wanted == WantedBrowser("http://[::1]:1", remote=True, default_profile=True)
    assert (found.sites.rules.sites, found.sites.rules.schemes) == ({"x": "x.org"}, ("ftp",))


@pytest.mark.parametrize("wrong", [{"sites": {"a": 1}}, {"schemes": [1]}])
def test_what_is_wrong_is_named(wrong: dict[str, Any]):
    with pytest.raises(SetupError, match="what the settings say of sites is wrong"):
        read_settings(ground(**wrong), KIND)


@pytest.mark.req("BR-07")
def test_downloads_lie_within_the_roots(tmp_path: Path):
    inside, outside, link = tmp_path / "root" / "x", tmp_path / "other", tmp_path / "root" / "link"
    inside.mkdir(parents=True)
    outside.mkdir()
    link.symlink_to(outside)
    roots = (str(tmp_path / "root"),)

    assert downloads_folder(str(inside), str(tmp_path), roots) == inside
    for folder in (outside, link):
        with pytest.raises(SetupError, match=r"browser\.downloads"):
            downloads_folder(str(folder), str(tmp_path), roots)


def test_without_a_word_the_usual_folder_is_taken_if_it_is_a_root(tmp_path: Path):
    usual, first = tmp_path / "Downloads", tmp_path / "Documents"

    assert downloads_folder("", str(tmp_path), (str(first), str(usual))) == usual
    assert downloads_folder("", str(tmp_path), (str(first),)) == first
    assert downloads_folder("", str(tmp_path), ()) is None


FAMILY = BrowserFamily(("no-such-find_program", "true", "false"), "none is here", "sayso browser")
RUNNER = ProgramRunner({"PATH": os.environ["PATH"]}, RandomIds())


def test_the_first_that_is_there_is_taken():
    assert find_program(RUNNER, FAMILY, "") == "true"
    assert find_program(RUNNER, FAMILY, "false") == "false"


def test_what_is_missing_is_named():
    with pytest.raises(SetupError, match="none is here"):
        find_program(RUNNER, BrowserFamily(("no-such-find_program",), "none is here", ""), "")
    with pytest.raises(SetupError, match=r"browser\.program in the settings is “nope”"):
        find_program(RUNNER, FAMILY, "nope")


@pytest.mark.parametrize("environ", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_a_screen_is_one_of_either_kind(environ: dict[str, str]):
    must_have_a_screen(environ, FAMILY, headless=False)
    must_have_a_screen({}, FAMILY, headless=True)
    with pytest.raises(SetupError, match="“sayso browser --headless” needs none"):
        must_have_a_screen({}, FAMILY, headless=False)


async def test_once_it_answers_its_port_is_told(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        started = StartedBrowser("x", os.getpid(), server.getsockname()[1])

        write_port(tmp_path, started.port)
        assert await wait_until_ready(started, tmp_path) == started

    assert (tmp_path / "sayso-port").read_text() == str(started.port)


async def test_one_that_ended_is_told(tmp_path: Path):
    write_port(tmp_path, 9)

    with pytest.raises(ProviderError, match="x ended at once; try it by hand"):
        await wait_until_ready(StartedBrowser("x", 2**22 + 1, free_port()), tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def listening() -> Iterator[int]:
    """Yield a port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def opener(tmp_path: Path, listening: int) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process that has a profile and a port on its command line, as a browser has."""
    words = (f"--user-data-dir={tmp_path}", f"--remote-debugging-port={listening}")
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait", "browser", *words], start_new_session=True) as process:
        # Just after its start a process does not show its words.
        wait_for(Path(f"/proc/{process.pid}/cmdline").read_bytes)
        yield process
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(("lock", "host"), [("SingletonLock", "host-"), ("lock", "127.0.1.1:+")])
async def test_a_profile_that_is_open_is_told_with_its_process(
    tmp_path: Path, opener: subprocess.Popen[bytes], lock: str, host: str
):
    (tmp_path / lock).symlink_to(f"{host}{opener.pid}")

    with pytest.raises(SetupError, match=f"is open already, in process {opener.pid}, .* then try again: sayso browser"):
        await find_running(tmp_path, FAMILY, "x")


async def test_one_whose_starter_was_ended_is_taken_up_once_it_answers(
    tmp_path: Path, opener: subprocess.Popen[bytes], listening: int
):
    (tmp_path / "SingletonLock").symlink_to(f"host-{opener.pid}")
    write_port(tmp_path, listening)

    assert await find_running(tmp_path, FAMILY, "x") == StartedBrowser("x", opener.pid, listening)


@pytest.mark.parametrize("left", ["host-4194305", "host-1", "nonsense"])
async def test_a_lock_that_a_killed_browser_left_is_none(tmp_path: Path, left: str):
    (tmp_path / "SingletonLock").symlink_to(left)

    assert await find_running(tmp_path, FAMILY, "x") is None
    assert profile_owner(tmp_path / "nowhere") == (0, [])
