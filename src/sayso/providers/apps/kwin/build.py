"""Build the apps backend of KDE on Wayland."""

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.apps.kwin.screen import KwinScreens
from sayso.providers.apps.kwin.script import FIX
from sayso.providers.apps.linux.backend import Desktop
from sayso.providers.apps.linux.building import desktop
from sayso.providers.bus.session import ADDRESS


def build(ground: Ground) -> Desktop:
    """Return the backend of the KWin on the session's D-Bus. Raises `SetupError` where there is no such bus."""
    if not ground.environ.get(ADDRESS):
        raise SetupError(f"there is no KWin here: {ADDRESS} is not set; {FIX}", "screen.missing")
    return desktop(ground, KwinScreens(ground.environ, ground.ids))
