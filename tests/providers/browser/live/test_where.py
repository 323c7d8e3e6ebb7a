"""Each kind of browser is named by a setting of its own, and has a profile and a command of its own."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.bidi.where import KIND as BIDI
from sayso.providers.browser.cdp.where import KIND as CDP
from sayso.providers.browser.live.where import PORT_FILE, Endpoint, Wanted, endpoint, unserved


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
