"""Build the apps backend of an X session."""

import os
from collections.abc import Mapping

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.apps import presets
from sayso.providers.apps.linux.backend import Desktop
from sayso.providers.apps.linux.menu import Menu
from sayso.providers.apps.x11.screen import XScreens


def build(ground: Ground, environ: Mapping[str, str] | None = None) -> Desktop:
    """Return the backend of the X session that the environment leads to. Raises `SetupError` where it leads to none."""
    environ = dict(os.environ if environ is None else environ)
    if not environ.get("DISPLAY"):
        raise SetupError(
            "there is no X session here: DISPLAY is not set; start sayso from your desktop", "screen.missing"
        )
    menu = Menu(environ, ground.home, ground.roots, ground.ids)
    return Desktop(XScreens(environ["DISPLAY"]), menu, presets.read(ground.settings), ground.kill)
