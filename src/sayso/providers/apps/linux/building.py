"""Put the backend of a Linux desktop together over the screen of its session."""

from sayso.core.ports import Ground
from sayso.providers.apps import presets
from sayso.providers.apps.linux.backend import Desktop
from sayso.providers.apps.linux.menu import Menu
from sayso.providers.apps.linux.screen import Screens


def desktop(ground: Ground, screens: Screens) -> Desktop:
    """Return the backend over a screen, with the menus and layouts of the person."""
    menu = Menu(ground.environ, ground.home, ground.roots, ground.ids)
    made = Desktop(screens, menu, presets.read(ground.settings), ground.kill)
    made.asked = ground.settings.get("kind") not in {None, "", "auto"}
    return made
