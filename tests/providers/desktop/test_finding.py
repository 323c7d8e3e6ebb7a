"""The kind of desktop is found by what the environment leads to."""

import sys

import pytest

from sayso.providers.desktop.finding import kind


@pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux")
@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"])
def test_whatever_leads_to_a_session_is_one(name: str):
    assert kind({name: "x"}) == "linux"


@pytest.mark.req("X-05")
def test_where_nothing_leads_to_one_there_is_none(monkeypatch: pytest.MonkeyPatch):
    assert kind({"HOME": "/h", "DISPLAY": ""}) is None

    monkeypatch.setattr(sys, "platform", "darwin")

    assert kind({"DISPLAY": ":0"}) is None
