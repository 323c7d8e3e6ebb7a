"""How the backends of a calendar are built from settings, and the suite on the one in memory."""

import json
from zoneinfo import ZoneInfo

import pytest

from sayso.core.datetimes import LocalZone
from sayso.core.errors import SetupError
from sayso.core.ports import Backend, BackendContext
from sayso.providers.calendar import CALENDAR, vdir
from sayso.providers.calendar.caldav import backend as caldav
from sayso.providers.calendar.memory import CalendarWorld, build, memory_backend
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial


def test_each_backend_is_built(tmp_path: object):
    ground = BackendContext({"url": "https://example.org/"}, "/", str(tmp_path), (), FakeClock(), NumberedIds())

    assert vdir.build(ground).name == "vdir"
    assert caldav.build(ground).name == "caldav:example.org"


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Sao_Paulo", "Pacific/Kiritimati", "Asia/Kathmandu"])
class TestMemory(CalendarSuite):
    """The suite on a calendar in memory, in zones far from each other."""

    @pytest.fixture(autouse=True)
    def somewhere(self, zone: str) -> None:
        self.zone = ZoneInfo(zone)

    def make(self) -> Backend:
        return memory_backend(FakeClock(), NumberedIds(), CalendarWorld(), self.zone, lasting=True)


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_events_and_name_a_zone():
    world = {
        "events": [
            {"uid": "a", "title": "Lunch", "start": "2026-03-14 12:00", "end": "2026-03-14 13:00", "location": "Café"},
            {"uid": "b", "title": "Trip", "start": "2026-03-14", "end": "2026-03-15", "all_day": True},
        ],
        "reminders": [{"uid": "r", "title": "Call Ana", "due": "2026-03-15"}],
    }

    made = build(ground(kind="memory", world=world, timezone="Europe/Berlin"))

    answer = await Trial(CALENDAR, made).answer("calendar.today")
    assert answer.text == "2 events today:\n<events>\nall day: Trip\n12:00 to 13:00: Lunch, Café\n</events>"
    assert [one.title for one in await made.reads.reminders()] == ["Call Ana"]


def test_without_a_zone_the_computers_own_is_taken():
    assert isinstance(build(ground()).reads.zone(), LocalZone)


@pytest.mark.parametrize("zone", ["Europe/Nowhere", "../../etc/passwd", "x\x00"], ids=ascii)
def test_an_unknown_zone_is_a_matter_of_settings(zone: str):
    with pytest.raises(SetupError, match="timezone"):
        build(ground(timezone=zone))


@pytest.mark.parametrize(
    "world",
    ['{"events": [{}]}', '{"dates": []}', '{"events": [{"uid": "a", "title": "x", "start": "soon", "end": "later"}]}'],
)
def test_a_world_that_is_none_is_a_matter_of_settings(world: str):
    with pytest.raises(SetupError, match="calendar"):
        build(ground(world=json.loads(world)))
