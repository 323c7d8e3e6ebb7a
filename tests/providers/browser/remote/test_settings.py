"""An address leads to sayso's own page by its port, whatever its host is called."""

from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Ground
from sayso.providers.browser.bidi.session import KIND as BIDI
from sayso.providers.browser.cdp.session import KIND
from sayso.providers.browser.cdp.session import KIND as CDP
from sayso.providers.browser.remote.settings import (
    PORT_FILE,
    Endpoint,
    Wanted,
    downloads_in,
    endpoint,
    leads_to,
    told,
    unserved,
)
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock


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
        assert each.start in str(each.lived_in())
        with pytest.raises(SetupError, match=f"{each.setting} in the settings is “ftp://x”; write it like"):
            endpoint(each, Wanted("ftp://x"), str(tmp_path))


def test_its_own_is_where_it_has_told(tmp_path: Path):
    for each in (CDP, BIDI):
        each.profile(str(tmp_path)).mkdir()
        (each.profile(str(tmp_path)) / PORT_FILE).write_text("9333")

        assert endpoint(each, Wanted(), str(tmp_path)) == Endpoint("127.0.0.1", 9333, own=tmp_path / each.folder)


def test_where_none_runs_it_is_said_how_to_start_one_and_is_no_trouble():
    one = unserved(CDP, Wanted(), CDP.not_running())

    assert (one.why, one.fix, one.asked) == ("no browser is running for sayso", "sayso browser", False)


def test_one_that_the_settings_name_and_does_not_answer_is_trouble():
    silent = ProviderError("no browser answers: nothing answers at h:9", "browser.not_running")

    one = unserved(CDP, Wanted("http://h:9"), silent)

    assert one.asked
    assert one.why.endswith("(browser.cdp_url names it)")
    assert "sayso config unset browser.cdp_url" in one.fix


def test_what_the_settings_must_allow_first_is_told_with_what_to_set():
    one = unserved(BIDI, Wanted("http://h:9"), BIDI.lived_in())

    assert "the profile you live in" in one.why
    assert one.fix.startswith("start one with a profile of its own")


def ground(roots: tuple[str, ...] = (), **settings: Any) -> Ground:
    options = {"confirm_sites": ["bank.test"]}
    return Ground(settings, "/home/ana", "/home/ana/.sayso", roots, FakeClock(), RandomIds(), options=options)


def test_nothing_set_means_a_browser_of_sayso():
    found = told(ground(), KIND)

    assert (found.wanted, found.program, found.downloads) == (Wanted(), "", None)
    assert found.settings.confirm_sites == ("bank.test",)


def test_all_settings_arrive():
    found = told(
        ground(cdp_url="http://[::1]:1", remote=True, default_profile=True, sites={"x": "x.org"}, schemes=["ftp"]),
        KIND,
    )

    assert found.wanted == Wanted("http://[::1]:1", remote=True, default_profile=True)
    assert (found.settings.rules.sites, found.settings.rules.schemes) == ({"x": "x.org"}, ("ftp",))


@pytest.mark.parametrize("wrong", [{"sites": {"a": 1}}, {"schemes": [1]}])
def test_what_is_wrong_is_named(wrong: dict[str, Any]):
    with pytest.raises(SetupError, match="what the settings say of sites is wrong"):
        told(ground(**wrong), KIND)


@pytest.mark.req("BR-07")
def test_downloads_lie_within_the_roots(tmp_path: Path):
    inside, outside, link = tmp_path / "root" / "x", tmp_path / "other", tmp_path / "root" / "link"
    inside.mkdir(parents=True)
    outside.mkdir()
    link.symlink_to(outside)
    roots = (str(tmp_path / "root"),)

    assert downloads_in(str(inside), str(tmp_path), roots) == inside
    for folder in (outside, link):
        with pytest.raises(SetupError, match=r"browser\.downloads"):
            downloads_in(str(folder), str(tmp_path), roots)


def test_without_a_word_the_usual_folder_is_taken_if_it_is_a_root(tmp_path: Path):
    usual, first = tmp_path / "Downloads", tmp_path / "Documents"

    assert downloads_in("", str(tmp_path), (str(first), str(usual))) == usual
    assert downloads_in("", str(tmp_path), (str(first),)) == first
    assert downloads_in("", str(tmp_path), ()) is None
