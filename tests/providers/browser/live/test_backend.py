"""A browser that does not run serves nothing, says so, and is no error to look for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.plan import Left
from sayso.core.ports import Ground
from sayso.providers.browser.bidi.backend import build as build_bidi
from sayso.providers.browser.cdp.backend import build as build_cdp
from sayso.providers.browser.facts import NotShown, TabAt
from sayso.providers.browser.live.backend import Live
from sayso.providers.browser.steps import OpenTab
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds


@pytest.mark.req("X-05")
@pytest.mark.parametrize(("build", "fix"), [(build_cdp, "sayso browser"), (build_bidi, "sayso browser --firefox")])
async def test_doctor_is_told_how_to_start_it(build: Callable[[Ground], Live], fix: str, tmp_path: Path):
    backend = build(Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds()))

    (told,) = await backend.capabilities()

    assert (told.served, told.fix) == ("", fix)
    assert backend.prune() == 0


def test_a_page_that_is_not_there_is_told(tmp_path: Path):
    backend = build_bidi(Ground({}, str(tmp_path), str(tmp_path), (), SystemClock(), RandomIds()))
    step = OpenTab("default", "http://x/")

    assert backend.tells(step, Left((TabAt("a.1", "http://x/"),))) == ""
    assert backend.tells(step, Left((NotShown("a.1", "it is gone"),))) == "its page cannot be shown: it is gone"
