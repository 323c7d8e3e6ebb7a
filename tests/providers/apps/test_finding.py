"""The screen of a session is found by what its environment leads to."""

import sys

import pytest

from sayso.providers.apps.finding import fits, kind


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


def test_another_system_has_none_of_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    assert kind({"DISPLAY": ":0"}) is None
    assert "Linux alone" in fits({"DISPLAY": ":0"}).none
