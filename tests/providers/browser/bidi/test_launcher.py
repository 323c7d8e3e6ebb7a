"""Firefox is started with a profile of sayso's own, and keeps away from sayso's own pages from then on."""

import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi.driver import Firefox, build, ports_kept_away
from sayso.providers.browser.bidi.launcher import start
from sayso.providers.browser.remote.launcher import LaunchOptions
from sayso.providers.browser.remote.settings import WantedBrowser
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import serving


def runner(**environ: str) -> ProgramRunner:
    return ProgramRunner({"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **environ}, RandomIds())


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-01", "BR-07", "BR-09")
async def test_it_answers_in_its_own_profile_and_keeps_away_from_the_page(scratch_home: Path):
    own, downloads = scratch_home.parent / "sayso", scratch_home / "Downloads"
    downloads.mkdir()
    context = BackendContext({}, str(scratch_home), str(own), (str(downloads),), SystemClock(), RandomIds())
    with serving() as site, serving() as free, announce_page(str(own), site.port):
        started = await start(runner(), LaunchOptions(str(own), downloads, headless=True))
        backend = build(context)
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


async def test_without_a_screen_it_says_how_to_do_without(scratch_home: Path):
    if not any(runner().find(name) for name in ("firefox-esr", "firefox")):
        pytest.skip("needs firefox-esr; tools/system-packages installs it")

    with pytest.raises(SetupError, match="sayso browser --firefox --headless"):
        await start(runner(), LaunchOptions(str(scratch_home), None))


@pytest.mark.req("X-05")
async def test_without_firefox_it_says_what_to_install(scratch_home: Path):
    with pytest.raises(SetupError, match="sudo apt-get install firefox-esr"):
        await start(runner(PATH=str(scratch_home)), LaunchOptions(str(scratch_home), None, headless=True))
    with pytest.raises(SetupError, match="“nobrowser”, and there is no such program"):
        await start(runner(), LaunchOptions(str(scratch_home), None, "nobrowser", headless=True))


@pytest.mark.req("BR-07")
async def test_without_a_folder_for_them_no_file_comes_by_itself(scratch_home: Path):
    with pytest.raises(ProviderError, match="ended at once"):
        await start(runner(), LaunchOptions(str(scratch_home), None, "true", headless=True))

    told = (scratch_home / "browser-firefox" / "user.js").read_text()
    assert 'user_pref("browser.download.useDownloadDir", false);' in told
    assert "browser.download.dir" not in told
