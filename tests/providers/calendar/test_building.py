"""Without its packages a calendar says with which command they come."""

import json
import subprocess
import sys
from zoneinfo import ZoneInfo

import pytest

from sayso.core.datetimes import LocalZone
from sayso.core.errors import SetupError
from sayso.core.ports import Backend, BackendContext
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.building import caldav, vdir
from sayso.providers.calendar.memory import CalendarWorld, build, memory_backend
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"icalendar", "recurring_ical_events", "httpx2"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import sayso
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.providers.calendar import building
from sayso.testing.fakes import FakeClock, NumberedIds
for made in (building.vdir, building.caldav):
    try:
        made(BackendContext({}, "/", "/x", (), FakeClock(), NumberedIds()))
    except SetupError as no:
        print(no)
"""


def test_each_backend_is_built(tmp_path: object):
    ground = BackendContext({"url": "https://example.org/"}, "/", str(tmp_path), (), FakeClock(), NumberedIds())

    assert vdir(ground).name == "vdir"
    assert caldav(ground).name == "caldav:example.org"


def test_a_missing_package_is_named_with_the_command_that_brings_it():
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout

    assert said.count("pip install 'sayso[calendar]'") == 2


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
