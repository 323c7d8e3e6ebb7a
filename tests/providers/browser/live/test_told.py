"""The settings of the browser are read once, and what is wrong in them is named."""

from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.browser.cdp.where import KIND
from sayso.providers.browser.live.told import downloads_in, told
from sayso.providers.browser.live.where import Wanted
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock


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
