"""Build the apps backend of a sway session."""

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.apps.linux.backend import Desktop
from sayso.providers.apps.linux.building import desktop
from sayso.providers.apps.sway.screen import SwayScreens


def build(ground: Ground) -> Desktop:
    """Return the backend of the sway that the environment leads to. Raises `SetupError` where it leads to none."""
    path = ground.environ.get("SWAYSOCK")
    if not path:
        raise SetupError("there is no sway here: SWAYSOCK is not set; start sayso from within sway", "screen.missing")
    return desktop(ground, SwayScreens(path))
