"""A browser is started with a profile of sayso's own, and keeps away from sayso's own pages from then on."""

import json
import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.cdp.driver import Chromium, build
from sayso.providers.browser.cdp.launcher import start
from sayso.providers.browser.remote.launcher import LaunchOptions
from sayso.providers.browser.remote.settings import WantedBrowser
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env.browser import serving
from tests.desktop_env.session import wait_for


def runner(**environ: str) -> ProgramRunner:
    return ProgramRunner({"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **environ}, RandomIds())


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01", "BR-07", "BR-09")
async def test_it_answers_in_its_own_profile_and_keeps_away_from_the_page(scratch_home: Path):
    own, downloads = scratch_home.parent / "sayso", scratch_home / "Downloads"
    downloads.mkdir()
    with serving() as site, announce_page(str(own), site.port):
        await start(runner(), LaunchOptions(str(own), downloads, headless=True))
        context = BackendContext({}, str(scratch_home), str(own), (str(downloads),), SystemClock(), RandomIds())
        backend = build(context)
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
    assert len(kept_away) == 3
    assert site.asked == []
    assert settings["download"]["default_directory"] == str(downloads)
    assert (own / "browser").stat().st_mode & 0o777 == 0o700


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-01")
async def test_behind_a_proxy_it_goes_through_it_and_never_to_the_page(scratch_home: Path):
    own = scratch_home.parent / "sayso"
    with serving() as site, serving() as proxy, announce_page(str(own), site.port):
        behind = runner(http_proxy=f"http://127.0.0.1:{proxy.port}", no_proxy="x.test", XMODIFIERS="@im=none")
        made = await start(behind, LaunchOptions(str(own), None, headless=True))
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


async def test_without_a_screen_it_says_how_to_do_without(scratch_home: Path):
    if not any(runner().find(name) for name in ("chromium", "google-chrome")):
        pytest.skip("needs chromium; tools/system-packages installs it")

    with pytest.raises(SetupError, match="sayso browser --headless"):
        await start(runner(), LaunchOptions(str(scratch_home), None))


@pytest.mark.req("X-05")
async def test_without_any_browser_it_says_what_to_install(scratch_home: Path):
    with pytest.raises(SetupError, match="install one"):
        await start(runner(PATH=str(scratch_home)), LaunchOptions(str(scratch_home), None, headless=True))
    with pytest.raises(SetupError, match="“nobrowser”, and there is no such program"):
        await start(runner(), LaunchOptions(str(scratch_home), None, "nobrowser", headless=True))


async def test_a_program_that_ends_at_once_is_told(scratch_home: Path):
    with pytest.raises(ProviderError, match="ended at once"):
        await start(runner(), LaunchOptions(str(scratch_home), None, "true", headless=True))


@pytest.mark.req("BR-07")
async def test_without_a_folder_for_them_nothing_is_downloaded_and_other_settings_stay(scratch_home: Path):
    settings = scratch_home / "browser" / "Default" / "Preferences"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"homepage": "x", "download": {"extensions": 1}}')

    with pytest.raises(ProviderError):
        await start(runner(), LaunchOptions(str(scratch_home), None, "true", headless=True))

    told = json.loads(settings.read_text())
    assert told == {
        "homepage": "x",
        "download": {"extensions": 1, "prompt_for_download": False},
        "download_restrictions": 3,
    }
