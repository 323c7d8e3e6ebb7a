"""Build the apps backend of an X session."""

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.apps import presets
from sayso.providers.apps.linux.backend import Desktop
from sayso.providers.apps.linux.menu import Menu
from sayso.providers.apps.x11.screen import XScreens


def build(ground: Ground) -> Desktop:
    """Return the backend of the X session that the environment leads to. Raises `SetupError` where it leads to none."""
    display = ground.environ.get("DISPLAY")
    if not display:
        raise SetupError(
            "there is no X session here: DISPLAY is not set; start sayso from your desktop", "screen.missing"
        )
    menu = Menu(ground.environ, ground.home, ground.roots, ground.ids)
    return Desktop(XScreens(display), menu, presets.read(ground.settings), ground.kill)
