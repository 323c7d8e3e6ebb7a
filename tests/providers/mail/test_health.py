"""Whether mail can be searched and sent is told with what to install or set."""

import sys

import pytest

from sayso.core.ports import Ground
from sayso.providers.mail.health import searching, sending
from sayso.testing.fakes import FakeClock, NumberedIds


def ground(**settings: str) -> Ground:
    return Ground(settings, "/h", "/h/s", (), FakeClock(), NumberedIds())


def test_queries_need_a_package(monkeypatch: pytest.MonkeyPatch):
    assert searching().served == "lark"

    monkeypatch.setitem(sys.modules, "lark", None)

    assert (searching().served, searching().fix) == ("", "pip install 'sayso[mail]'")


def test_where_no_server_is_set_it_is_said_how_to_set_it():
    assert sending(ground()).served == ""
    assert sending(ground()).fix == "“sayso config mail” asks for both"


def test_the_server_that_takes_mail_is_named(monkeypatch: pytest.MonkeyPatch):
    named = ground(smtp_host="smtp.example.org", address="ana@example.org")
    assert sending(named).served == "smtp.example.org:465"

    monkeypatch.setitem(sys.modules, "aiosmtplib", None)

    assert (sending(named).served, sending(named).fix) == ("", "pip install 'sayso[mail]'")
