"""A browser is started with a profile of sayso's own, and keeps away from sayso's own pages from then on."""

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi import launcher as bidi
from sayso.providers.browser.bidi.driver import Firefox, ports_kept_away
from sayso.providers.browser.bidi.driver import build as build_firefox
from sayso.providers.browser.cdp import launcher as cdp
from sayso.providers.browser.cdp.driver import Chromium
from sayso.providers.browser.cdp.driver import build as build_chromium
from sayso.providers.browser.remote.launcher import LaunchOptions, StartedBrowser
from sayso.providers.browser.remote.settings import WantedBrowser
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import serving
from tests.desktop_env.session import wait_for

Start = Callable[[ProgramRunner, LaunchOptions], Awaitable[StartedBrowser]]


def runner(**environ: str) -> ProgramRunner:
    return ProgramRunner({"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **environ}, RandomIds())


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01", "BR-07", "BR-09")
async def test_chromium_answers_in_its_own_profile_and_keeps_away_from_the_page(scratch_home: Path):
    own, downloads = scratch_home.parent / "sayso", scratch_home / "Downloads"
    downloads.mkdir()
    with serving() as site, announce_page(str(own), site.port):
        await cdp.start(runner(), LaunchOptions(str(own), downloads, headless=True))
        context = BackendContext({}, str(scratch_home), str(own), (str(downloads),), SystemClock(), RandomIds())
        backend = build_chromium(context)
        told = await backend.capabilities()
        listed = await Trial(BROWSER, backend).answer("tab.list")
        backend.close()
        browser = Chromium(context, WantedBrowser())
        with browser.connected() as session:
            session.client.run("Target.createTarget", url=f"http://name.localhost:{site.port}/")
            kept_away = session.kept_away
        browser.quit()
        browser.close()

    settings = json.loads((own / "browser" / "Default" / "Preferences").read_text())
    assert [one.served for one in told][1] == "the browser itself"
    assert listed.text.endswith(" about:blank")
    assert site.port in kept_away
    assert len(kept_away) == 2
    assert site.asked == []
    assert settings["download"]["default_directory"] == str(downloads)
    assert (own / "browser").stat().st_mode & 0o777 == 0o700


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_behind_a_proxy_it_goes_through_it_and_never_to_the_page(scratch_home: Path):
    own = scratch_home.parent / "sayso"
    with serving() as site, serving() as proxy, announce_page(str(own), site.port):
        behind = runner(http_proxy=f"http://127.0.0.1:{proxy.port}", no_proxy="x.test", XMODIFIERS="@im=none")
        made = await cdp.start(behind, LaunchOptions(str(own), None, headless=True))
        environ = Path(f"/proc/{made.process}/environ").read_bytes().split(b"\0")
        context = BackendContext({}, str(scratch_home), str(own), (), SystemClock(), RandomIds())
        browser = Chromium(context, WantedBrowser())
        with browser.connected() as session:
            session.client.run("Target.createTarget", url=f"http://name.example:{site.port}/")
            session.client.run("Target.createTarget", url="http://other.example/there")
            wait_for(lambda: any("other.example" in path for path in proxy.asked), "the page behind the proxy")
        browser.quit()
        browser.close()

    assert b"XMODIFIERS=@im=none" in environ
    assert site.asked == []
    assert not [path for path in proxy.asked if "name.example" in path]


@pytest.mark.parametrize(
    ("start", "programs", "fix"),
    [
        (cdp.start, ("chromium", "google-chrome"), "sayso browser --headless"),
        (bidi.start, ("firefox-esr", "firefox"), "sayso browser --firefox --headless"),
    ],
)
async def test_without_a_screen_it_says_how_to_do_without(
    scratch_home: Path, start: Start, programs: tuple[str, ...], fix: str
):
    if not any(runner().find(name) for name in programs):
        pytest.skip(f"needs {programs[0]}; tools/system-packages installs it")

    with pytest.raises(SetupError, match=fix):
        await start(runner(), LaunchOptions(str(scratch_home), None))


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("start", "fix"), [(cdp.start, "install one"), (bidi.start, "sudo apt-get install firefox-esr")]
)
async def test_without_any_browser_it_says_what_to_install(scratch_home: Path, start: Start, fix: str):
    with pytest.raises(SetupError, match=fix):
        await start(runner(PATH=str(scratch_home)), LaunchOptions(str(scratch_home), None, headless=True))
    with pytest.raises(SetupError, match="“nobrowser”, and there is no such program"):
        await start(runner(), LaunchOptions(str(scratch_home), None, "nobrowser", headless=True))


@pytest.mark.req("BR-07")
async def test_without_a_folder_for_them_nothing_is_downloaded_and_other_settings_stay(scratch_home: Path):
    settings = scratch_home / "browser" / "Default" / "Preferences"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"homepage": "x", "download": {"extensions": 1}}')

    for start in (cdp.start, bidi.start):
        with pytest.raises(ProviderError, match="ended at once"):
            await start(runner(), LaunchOptions(str(scratch_home), None, "true", headless=True))

    told = (scratch_home / "browser-firefox" / "user.js").read_text()
    assert 'user_pref("browser.download.useDownloadDir", false);' in told
    assert "browser.download.dir" not in told
    assert json.loads(settings.read_text()) == {
        "homepage": "x",
        "download": {"extensions": 1, "prompt_for_download": False},
        "download_restrictions": 3,
    }


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01", "BR-07", "BR-09")
async def test_firefox_answers_in_its_own_profile_and_keeps_away_from_the_page(scratch_home: Path):
    own, downloads = scratch_home.parent / "sayso", scratch_home / "Downloads"
    downloads.mkdir()
    context = BackendContext({}, str(scratch_home), str(own), (str(downloads),), SystemClock(), RandomIds())
    with serving() as site, serving() as free, announce_page(str(own), site.port):
        started = await bidi.start(runner(), LaunchOptions(str(own), downloads, headless=True))
        backend = build_firefox(context)
        told = await backend.capabilities()
        trial = Trial(BROWSER, backend)
        listed = await trial.answer("tab.list")
        free.pages["/go"] = (302, {"location": site.url("/reached")}, b"")
        with pytest.raises(ProviderError):
            await trial.do(await trial.plan("url.open", url=free.url("/go")))
        browser = Firefox(context, WantedBrowser())
        runs = browser.running(frozenset({site.port, 8737}))
        lacks = browser.running(frozenset({9}))
        browser.quit()

    profile = own / "browser-firefox"
    assert [one.served for one in told][1] == "Firefox itself"
    assert listed.text.endswith(" about:blank")
    assert (site.asked, free.asked) == ([], ["/go"])
    assert runs is not None
    assert (runs.port, runs.lacks) == (started.port, "")
    assert lacks is not None
    assert lacks.lacks == 'user_pref("network.security.ports.banned", "9");'
    assert len(ports_kept_away(str(profile), "user.js")) == 4
    assert f'user_pref("browser.download.dir", "{downloads}");' in (profile / "user.js").read_text()
    assert profile.stat().st_mode & 0o777 == 0o700
