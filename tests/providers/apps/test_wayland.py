"""A desktop that keeps its windows to itself is named, with the reason and the way out."""

from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.providers.apps.wayland import build
from tests.providers.apps.grounds import ground


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("desktop", "says"),
    [
        ("GNOME", "unsupported in GNOME on Wayland, because.*choose “GNOME on Xorg”"),
        ("ubuntu:GNOME", "unsupported in GNOME on Wayland, because.*choose “GNOME on Xorg”"),
        ("KDE", "unsupported in KDE on Wayland, because.*Plasma"),
        ("Hyprland", "unsupported in Hyprland on Wayland, because.*X11 session or to sway"),
        ("", "unsupported in this desktop on Wayland, because"),
    ],
)
def test_the_desktop_the_reason_and_the_way_out_are_named(tmp_path: Path, desktop: str, says: str):
    with pytest.raises(SetupError, match=says) as odd:
        build(ground(tmp_path, {"XDG_CURRENT_DESKTOP": desktop}))

    assert odd.value.code == "screen.unsupported"
