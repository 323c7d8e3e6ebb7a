"""Each part says what serves it here, or what to do about it."""

import pytest

from sayso.core.capability import Capability
from sayso.core.ports import Explains
from tests.desktop_env import parts
from tests.desktop_env.session import Session
from tests.providers.desktop.linux.given import a_desktop


async def capabilities(made: Session) -> dict[str, Capability]:
    """Return each part of the desktop by its name."""
    desktop = a_desktop(made, shortcuts={"tidy": {"argv": ["true"]}})
    assert isinstance(desktop, Explains)
    return {one.name: one for one in await desktop.capabilities()}


@pytest.mark.needs("xclip", "dunst", "pulseaudio", "pactl", "espeak-ng", "gio")
@pytest.mark.req("X-05")
async def test_on_a_full_desktop_everything_is_served(x_session: Session):
    parts.notifications(x_session)
    parts.sound(x_session)

    found = await capabilities(x_session)

    assert {name: one.served.split()[0] for name, one in found.items()} == {
        "clipboard": "xclip",
        "notifications": "dunst",
        "speech": "espeak-ng",
        "volume": "pactl",
        "quiet": "dunst",
        "opening files": "gio",
        "shortcuts": "config.toml",
    }
    assert found["volume"].why == "the sound server answers; its output is speaker"
    assert found["shortcuts"].why == "tidy"


@pytest.mark.req("X-05", "T-38")
async def test_where_there_is_nothing_each_part_says_what_to_do(bare_session: Session):
    found = await capabilities(bare_session)

    missing = {name: one.fix for name, one in found.items() if not one.served}
    assert set(missing) == {"clipboard", "notifications", "volume", "quiet"}
    assert all(missing.values())
    assert "xclip" in missing["clipboard"]
