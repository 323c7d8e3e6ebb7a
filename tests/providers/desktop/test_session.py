"""The kind of desktop is found by what the environment leads to."""

import sys

import pytest

from sayso.providers.desktop.session import fits, kind


@pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux")
@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"])
def test_whatever_leads_to_a_session_is_one(name: str):
    fit = fits({name: "x"}).kinds["linux"]

    assert kind({name: "x"}) == "linux"
    assert (fit.here, fit.says) == (True, f"{name} leads to a session")


@pytest.mark.req("X-05")
def test_where_nothing_leads_to_one_there_is_none(monkeypatch: pytest.MonkeyPatch):
    assert kind({"HOME": "/h", "DISPLAY": ""}) is None

    monkeypatch.setattr(sys, "platform", "darwin")

    assert kind({"DISPLAY": ":0"}) is None
    assert "Linux alone" in fits({"DISPLAY": ":0"}).none


@pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux")
def test_where_nothing_leads_to_a_session_it_is_said_what_would():
    told = fits({})

    assert not told.kinds["linux"].here
    assert "DBUS_SESSION_BUS_ADDRESS" in told.none
    assert told.fix == "start sayso from within your desktop"
