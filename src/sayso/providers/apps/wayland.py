"""Say why windows cannot be served in a session whose compositor keeps them to itself, and what a person can do."""

from typing import NoReturn

from sayso.core.errors import SetupError
from sayso.core.ports import Ground

_DESKTOPS = {
    "GNOME": ("GNOME on Wayland", "log out and choose “GNOME on Xorg” at the login screen, or log in to sway"),
    "KDE": ("KDE on Wayland", "log out and choose “Plasma (X11)” at the login screen, or log in to sway"),
}
_OTHERWISE = "log in to an X11 session or to sway"


def build(ground: Ground) -> NoReturn:
    """Raise `SetupError` that names the desktop, the reason and the way out."""
    names = ground.environ.get("XDG_CURRENT_DESKTOP", "").split(":")
    known = next((name for name in names if name in _DESKTOPS), None)
    desktop, way_out = _DESKTOPS[known] if known else (f"{names[0] or 'this desktop'} on Wayland", _OTHERWISE)
    raise SetupError(
        f"applications and windows are unsupported in {desktop}, because it lets no other program see or move them; "
        f'{way_out}. Windows of X11 programs alone can be had with [apps] kind = "x11"',
        "screen.unsupported",
    )
