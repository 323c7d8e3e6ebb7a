"""A backend over a screen has the menus and layouts of the person."""

from pathlib import Path

from sayso.providers.apps.linux.backend import desktop
from sayso.providers.apps.linux.screen import Shown
from tests.providers.apps.fake_screen import FakeScreen
from tests.providers.apps.grounds import ground


async def test_menus_and_layouts_come_from_the_ground(tmp_path: Path):
    entry = tmp_path / "applications" / "pad.desktop"
    entry.parent.mkdir()
    entry.write_text("[Desktop Entry]\nType=Application\nName=Pad\nExec=true\n")
    environ = {"XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path)}
    layouts = [{"name": "Desk", "placements": [{"app_name": "Pad", "monitor": "main"}]}]

    made = desktop(ground(tmp_path, environ, preset=layouts), FakeScreen(*list[Shown]()))

    assert made.name == "fake"
    assert [program.name for program in await made.reads.installed()] == ["Pad"]
    assert [preset.name for preset in await made.reads.presets()] == ["Desk"]
