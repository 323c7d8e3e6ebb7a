"""The session that windows are in, and what the bridge to KWin asks of it."""

import sys
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps import build, fits, kind
from sayso.providers.apps.model import QuitApp
from tests.providers.apps.fakes import backend_context, menu_environment


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("desktop", "says"),
    [
        ("GNOME", "unsupported in GNOME on Wayland, because.*choose “GNOME on Xorg”"),
        ("ubuntu:GNOME", "unsupported in GNOME on Wayland, because.*choose “GNOME on Xorg”"),
        ("Hyprland", "unsupported in Hyprland on Wayland, because.*X11 session, to KDE or to sway"),
        ("", "unsupported in this desktop on Wayland, because"),
    ],
)
async def test_the_desktop_the_reason_and_the_way_out_are_named(tmp_path: Path, desktop: str, says: str):
    backend = build(backend_context(tmp_path, {"XDG_CURRENT_DESKTOP": desktop}))

    with pytest.raises(SetupError, match=says) as odd:
        await backend.reads.running()

    assert odd.value.code == "screen.unsupported"


@pytest.mark.req("X-05")
async def test_nothing_is_done_there_and_doctor_names_the_way_out_and_what_is_installed(tmp_path: Path):
    environ = {**menu_environment(tmp_path, "Pad"), "XDG_CURRENT_DESKTOP": "GNOME"}
    backend = build(backend_context(tmp_path, environ))

    with pytest.raises(ProviderError, match=r"unsupported in GNOME on Wayland.*; nothing was changed"):
        await backend.apply(QuitApp("Pad"), ())
    windows, applications = await backend.capabilities()

    assert windows.served == ""
    assert windows.fix.startswith("log out and choose “GNOME on Xorg”")
    assert applications.served == "1 in your menus"


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"DISPLAY": ":0"}, "x11"),
        ({"DISPLAY": ":0", "SWAYSOCK": "/run/sway", "WAYLAND_DISPLAY": "wayland-1"}, "sway"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "GNOME"}, "wayland"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "wayland"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "KDE"}, "kwin"),
        ({"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "Liri:KDE"}, "kwin"),
        ({"DISPLAY": ":0", "XDG_CURRENT_DESKTOP": "KDE"}, "x11"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, "x11"),
        ({"XDG_CURRENT_DESKTOP": "GNOME"}, None),
        ({}, None),
    ],
)
def test_each_session_has_its_kind(environ: dict[str, str], found: str | None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")

    told = fits(environ)

    assert kind(environ) == found
    assert [name for name, fit in told.kinds.items() if fit.here] == ([found] if found else [])
    assert all(fit.says for fit in told.kinds.values())
    assert told.none
    assert told.fix


def test_a_mac_has_a_kind_of_its_own_and_another_system_has_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    on_a_mac = kind({}), fits({}).kinds["macos"].here
    monkeypatch.setattr(sys, "platform", "win32")

    assert on_a_mac == ("macos", True)
    assert kind({"DISPLAY": ":0"}) is None
    assert "only on Linux and macOS" in fits({"DISPLAY": ":0"}).none
