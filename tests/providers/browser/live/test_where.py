"""Each kind of browser is named by a setting of its own, and has a profile and a command of its own."""

from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.providers.browser.bidi.where import KIND as BIDI
from sayso.providers.browser.cdp.where import KIND as CDP
from sayso.providers.browser.live.where import PORT_FILE, Endpoint, Wanted, endpoint


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
