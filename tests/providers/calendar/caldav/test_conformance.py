"""A calendar on a real CalDAV server behaves as any other calendar backend."""

import pytest

from sayso.core.ports import Backend, Ground
from sayso.providers.calendar.caldav.backend import build
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.desktop_env.radicale import PASSWORD, USER, Radicale


class TestCaldav(CalendarSuite):
    """The suite on a server."""

    @pytest.fixture(autouse=True)
    def somewhere(self, radicale: Radicale) -> None:
        self.server = radicale

    def make(self) -> Backend:
        self.server.clear()
        self.server.calendar("home", "Home")
        settings = {"url": self.server.url, "user": USER, "timezone": "Asia/Kathmandu"}
        environ = {"SAYSO_CALENDAR_PASSWORD": PASSWORD}
        return build(Ground(settings, "/home/ana", "/x", (), FakeClock(), NumberedIds(), environ=environ))
