"""The backend of a sway session holds what every backend of applications must, on a real sway."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Backend
from sayso.providers.apps.sway import build
from sayso.testing.apps import AppsSuite
from tests.desktop_env import containers, windows
from tests.desktop_env.session import Session
from tests.providers.apps.grounds import ground

pytestmark = pytest.mark.needs("sway", "foot", "swaymsg")


class TestSway(AppsSuite):
    """The suite, with two terminals of different names."""

    running = "Pad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, wayland_desktop: Session) -> Iterator[None]:
        type(self).desktop = wayland_desktop
        for name in ("Pad", "Clock"):
            windows.entry(wayland_desktop, name, f"foot --app-id={name.lower()} sleep 100")
        yield
        containers.clear(wayland_desktop)

    def make(self) -> Backend:
        containers.start(self.desktop, "foot", "--app-id=pad", "sleep", "100")
        return build(ground(self.desktop.home))


@pytest.mark.req("X-05")
def test_without_sway_the_person_is_told_what_to_do(bare_desktop: Session):
    with pytest.raises(SetupError, match="SWAYSOCK is not set; start sayso from within sway"):
        build(ground(bare_desktop.home))


async def test_a_socket_that_nobody_serves_is_named(tmp_path: Path):
    backend = build(ground(tmp_path, {"SWAYSOCK": f"{tmp_path}/none"}))

    with pytest.raises(SetupError, match=r"sway does not answer on .*none \(SWAYSOCK\)"):
        await backend.reads.running()
