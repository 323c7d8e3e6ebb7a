"""A folder of .ics files behaves as any other calendar backend, in zones far from each other."""

from pathlib import Path

import pytest

from sayso.core.ports import Backend, Ground
from sayso.providers.calendar.vdir import build
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, NumberedIds


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Sao_Paulo", "Pacific/Kiritimati", "Asia/Kathmandu"])
class TestVdir(CalendarSuite):
    """The suite on a folder."""

    @pytest.fixture(autouse=True)
    def somewhere(self, zone: str, tmp_path: Path) -> None:
        self.zone, self.home, self.made = zone, tmp_path, 0

    def make(self) -> Backend:
        self.made += 1
        own = str(self.home / f"own{self.made}")
        return build(Ground({"timezone": self.zone}, str(self.home), own, (), FakeClock(), NumberedIds()))
