"""The backend of an X session holds what every backend of applications must, on a real screen."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Backend
from sayso.providers.apps.x11.build import build
from sayso.testing.apps import AppsSuite
from tests.desktop_env import windows
from tests.desktop_env.session import Session
from tests.providers.apps.grounds import ground

pytestmark = pytest.mark.needs("mousepad", "xclock", "wmctrl")


class TestX11(AppsSuite):
    """The suite, with an editor that runs and a clock that does not."""

    running = "Mousepad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, x_desktop: Session) -> Iterator[None]:
        type(self).desktop = x_desktop
        windows.entry(x_desktop, "Clock", "xclock")
        yield
        windows.clear(x_desktop)

    def make(self) -> Backend:
        windows.start(self.desktop, "mousepad")
        return build(ground(self.desktop.home))


@pytest.mark.req("X-05")
def test_without_a_display_the_person_is_told_what_to_do(bare_desktop: Session):
    with pytest.raises(SetupError, match="DISPLAY is not set; start sayso from your desktop"):
        build(ground(bare_desktop.home))


async def test_a_display_that_nobody_serves_is_named(tmp_path: Path):
    backend = build(ground(tmp_path, {**os.environ, "DISPLAY": ":987"}))

    with pytest.raises(SetupError, match="no X server answers on ':987'"):
        await backend.reads.running()


def test_without_the_extra_the_person_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sayso.providers.apps.x11.screen", None)

    with pytest.raises(SetupError, match=r"pip install 'sayso\[desktop\]'"):
        build(ground(tmp_path, {"DISPLAY": ":0"}))
