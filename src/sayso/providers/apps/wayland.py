"""Say why windows cannot be served in a session whose compositor keeps them to itself, and what a person can do."""

from contextlib import AbstractAsyncContextManager
from typing import NoReturn

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.apps.linux.backend import Desktop
from sayso.providers.apps.linux.building import desktop
from sayso.providers.apps.linux.screen import Screen

_DESKTOPS = {
    "GNOME": ("GNOME on Wayland", "log out and choose “GNOME on Xorg” at the login screen, or log in to sway"),
}
_OTHERWISE = "log in to an X11 session, to KDE or to sway"
_IN_PART = '[apps] kind = "x11" shows the windows of X11 programs alone'


class NoScreens:
    """A desktop that shows its windows to nobody else."""

    name = "wayland"
    why = "WAYLAND_DISPLAY leads to a desktop that is neither sway nor KDE"

    def __init__(self, names: list[str]) -> None:
        known = next((name for name in names if name in _DESKTOPS), None)
        self._desktop, way_out = _DESKTOPS[known] if known else (f"{names[0] or 'this desktop'} on Wayland", _OTHERWISE)
        self.fix = f"{way_out}; {_IN_PART}"

    def open(self) -> AbstractAsyncContextManager[Screen]:
        """Raise `SetupError` that names the desktop, the reason and the way out."""
        return self._unsupported()

    def _unsupported(self) -> NoReturn:
        raise SetupError(
            f"applications and windows are unsupported in {self._desktop}, because it lets no other program see or "
            f"move them; {self.fix}",
            "screen.unsupported",
        )


def build(ground: Ground) -> Desktop:
    """Return a backend that answers every question about windows with the reason and the way out."""
    return desktop(ground, NoScreens(ground.environ.get("XDG_CURRENT_DESKTOP", "").split(":")))
