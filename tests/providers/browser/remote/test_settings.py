"""An address leads to sayso's own page by its port, whatever its host is called."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.browser.bidi.session import KIND as BIDI
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
    SOCKET_FILE,
    BrowserKind,
    BrowserSettings,
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


def test_each_says_how_it_is_started_and_written_and_where_it_is_and_no_two_share_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert len({CDP.setting, BIDI.setting}) == len({CDP.folder, BIDI.folder}) == len({CDP.start, BIDI.start}) == 2
    for each in (CDP, BIDI):
        profile = each.profile(str(tmp_path))
        profile.mkdir()
        (profile / PORT_FILE).write_text("9333")
        with socket.socket(socket.AF_UNIX) as listening:
            os.chdir(profile)  # the whole path is longer than the name of a socket can be
            listening.bind(SOCKET_FILE)

        assert each.start in str(each.not_running())
        assert each.start in str(each.profile_in_use())
        with pytest.raises(SetupError, match=f"{each.setting} in the settings is “ftp://x”; write it like"):
            find_endpoint(each, WantedBrowser("ftp://x"), str(tmp_path))
        listens = Endpoint("", 0, own=profile) if each is CDP else Endpoint("127.0.0.1", 9333, own=profile)
        assert find_endpoint(each, WantedBrowser(), str(tmp_path)) == listens
        assert profile == tmp_path / each.folder


SILENT = ProviderError("no browser answers: nothing answers at h:9", "browser.not_running")


@pytest.mark.parametrize(
    ("kind", "url", "error", "why", "fix"),
    [
        (CDP, "", CDP.not_running(), "no browser is running for sayso", "sayso browser"),
        (CDP, "http://h:9", SILENT, "(browser.cdp_url names it)", "sayso config unset browser.cdp_url"),
        (BIDI, "http://h:9", BIDI.profile_in_use(), "your everyday profile", "start one with a profile of its own"),
    ],
)
def test_why_none_serves_is_told_with_what_to_do(kind: BrowserKind, url: str, error: SaysoError, why: str, fix: str):
    one = explain_unserved(kind, WantedBrowser(url), error)

    assert why in one.why
    assert fix in one.fix
    assert one.asked is bool(url)


def settings(**given: Any) -> BrowserSettings:
    options = {"confirm_sites": ["bank.test"]}
    home, own = "/home/ana", "/home/ana/.sayso"
    return read_settings(BackendContext(given, home, own, (), FakeClock(), RandomIds(), options=options), CDP)


def test_all_settings_arrive_and_without_any_it_is_a_browser_of_sayso():
    given = settings(cdp_url="http://[::1]:1", remote=True, default_profile=True, sites={"x": "x.org"}, schemes=["ftp"])
    usual = settings()

    assert given.wanted == WantedBrowser("http://[::1]:1", remote=True, default_profile=True)
    assert (given.sites.rules.sites, given.sites.rules.schemes) == ({"x": "x.org"}, ("ftp",))
    assert (usual.wanted, usual.program, usual.downloads) == (WantedBrowser(), "", None)
    assert usual.sites.confirm_sites == ("bank.test",)
    for wrong in ({"sites": {"a": 1}}, {"schemes": [1]}):
        with pytest.raises(SetupError, match="the settings for sites are wrong"):
            settings(**wrong)


@pytest.mark.req("BR-07")
def test_downloads_lie_within_the_roots_usually_in_the_usual_folder(tmp_path: Path):
    root, outside = tmp_path / "root", tmp_path / "other"
    for folder in (root / "x", outside):
        folder.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    usual, first = tmp_path / "Downloads", tmp_path / "Documents"

    assert downloads_folder(str(root / "x"), str(tmp_path), (str(root),)) == root / "x"
    for folder in (outside, root / "link"):
        with pytest.raises(SetupError, match=r"browser\.downloads"):
            downloads_folder(str(folder), str(tmp_path), (str(root),))
    assert downloads_folder("", str(tmp_path), (str(first), str(usual))) == usual
    assert downloads_folder("", str(tmp_path), (str(first),)) == first
    assert downloads_folder("", str(tmp_path), ()) is None


FAMILY = BrowserFamily(("no-such-find_program", "true", "false"), "none is here", CDP)
RUNNER = ProgramRunner({"PATH": os.environ["PATH"]}, RandomIds())


def test_the_first_program_that_is_there_is_taken_and_what_is_missing_is_named():
    assert find_program(RUNNER, FAMILY, "") == "true"
    assert find_program(RUNNER, FAMILY, "false") == "false"
    with pytest.raises(SetupError, match="none is here"):
        find_program(RUNNER, BrowserFamily(("no-such-program",), "none is here", CDP), "")
    with pytest.raises(SetupError, match=r"browser\.program in the settings is “nope”"):
        find_program(RUNNER, FAMILY, "nope")


@pytest.mark.parametrize("environ", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_a_screen_is_one_of_either_kind(environ: dict[str, str]):
    must_have_a_screen(environ, FAMILY, headless=False)
    must_have_a_screen({}, FAMILY, headless=True)
    with pytest.raises(SetupError, match="“sayso browser --headless” needs none"):
        must_have_a_screen({}, FAMILY, headless=False)


@pytest.fixture
def listening() -> Iterator[int]:
    """Yield a port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def test_once_it_answers_its_port_is_told_and_one_that_ended_has_none(tmp_path: Path, listening: int):
    started = StartedBrowser("x", os.getpid(), listening)
    write_port(tmp_path, listening)
    assert await wait_until_ready(started, tmp_path) == started
    assert (tmp_path / "sayso-port").read_text() == str(listening)

    with pytest.raises(ProviderError, match="x ended at once; try it by hand"):
        await wait_until_ready(StartedBrowser("x", 2**22 + 1, free_port()), tmp_path)
    assert list(tmp_path.iterdir()) == []


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

    family = replace(FAMILY, kind=BIDI)
    assert await find_running(tmp_path, family, "x") == StartedBrowser("x", opener.pid, listening)


@pytest.mark.parametrize("left", ["host-4194305", "host-1", "nonsense"])
async def test_a_lock_that_a_killed_browser_left_is_none(tmp_path: Path, left: str):
    (tmp_path / "SingletonLock").symlink_to(left)

    assert await find_running(tmp_path, FAMILY, "x") is None
    assert profile_owner(tmp_path / "nowhere") == (0, [])
