"""Build the apps backend of an X session."""

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import BackendContext
from sayso.providers.apps.linux.backend import LinuxAppsBackend, linux_backend
from sayso.providers.apps.linux.screen import Display


def build(ground: BackendContext) -> LinuxAppsBackend:
    """Return the backend of the X session that the environment leads to. Raises `SetupError` where it leads to none."""
    display = ground.environ.get("DISPLAY")
    if not display:
        raise SetupError(
            "there is no X session here: DISPLAY is not set; start sayso from your desktop", "screen.missing"
        )
    return linux_backend(ground, _screens(display))


def _screens(display: str) -> Display:
    """Return the way to the display; what speaks X11 is an extra, and may be missing."""
    try:
        return load("sayso.providers.apps.x11.screen:X11Display")(display)
    except (ImportError, OSError) as odd:
        raise SetupError(
            f"windows of an X session need the extra “desktop” ({odd}); pip install 'sayso[desktop]'", "screen.extra"
        ) from odd
