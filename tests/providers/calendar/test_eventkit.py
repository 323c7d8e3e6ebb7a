"""Events and reminders through a stand-in for EventKit, written from documentation; it was never held against a Mac."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Backend
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.apple.backend import AppleCalendarBackend
from sayso.providers.calendar.apple.eventkit import EventKit, find_eventkit
from sayso.testing.calendar import CalendarSuite, list_reminders
from sayso.testing.harness import Trial
from sayso.testing.macos import SimulatedMac
from tests.fails import fails
from tests.mac_env.eventkit import DENIED, NOT_ASKED, ZONE, Store, eventkit, foundation
from tests.mac_env.fixtures import on
from tests.mac_env.hostile import LINES, ONE_LINE


def backend(mac: SimulatedMac, store: Store) -> AppleCalendarBackend:
    store.by_calendar = lambda: mac.app("Calendar")["calendars"][0]["events"]
    return AppleCalendarBackend(on(mac, {"timezone": ZONE.key}), EventKit(eventkit(store), foundation(ZONE), 5))


@pytest.mark.thorough
class TestEventKit(CalendarSuite):
    """The suite with events and reminders in EventKit; Calendar makes those with invited people."""

    @pytest.fixture(autouse=True)
    def _places(self, mac: SimulatedMac, tmp_path: Path) -> None:
        self._folder = tmp_path
        self._made = 0

    def make(self) -> Backend:
        self._made += 1
        return backend(SimulatedMac(self._folder / f"mac{self._made}"), Store())


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def tried(mac: SimulatedMac, store: Store) -> Trial:
    return Trial(CALENDAR, backend(mac, store))


async def create(tried: Trial, **arguments: object) -> None:
    await tried.do(await tried.plan("reminder.create", **arguments))


@pytest.mark.req("S1-26")
async def test_a_repeating_reminder_is_made_with_its_rule_and_due_again_once_it_is_completed(
    tried: Trial, store: Store
):
    await create(tried, title="Water", due="2031-05-02 09:00", repeat="daily", count=3)
    plan = await tried.plan("reminder.complete", reminder="Water")

    lefts = await tried.do(plan)

    (after,) = await list_reminders(tried)
    await tried.take_back(plan, lefts)
    (again,) = await list_reminders(tried)
    assert [str(one["due"])[:16] for one in (after, again)] == ["2031-05-03T09:00", "2031-05-02T09:00"]
    (kept,) = store.kept.values()
    (rule,) = kept.recurrenceRules()
    assert (rule.frequency(), rule.recurrenceEnd().occurrenceCount()) == (0, 3)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=5",
        "FREQ=MONTHLY;BYDAY=2TU,-1FR",
        "FREQ=YEARLY;BYMONTHDAY=1,-1;BYMONTH=2,8;BYSETPOS=1",
        "FREQ=DAILY;UNTIL=20310601T070000Z",
    ],
)
def test_a_rule_is_read_as_it_was_written(store: Store, rule: str):
    kit = EventKit(eventkit(store), foundation(ZONE))
    start = 1_935_471_600_000
    entry = {"title": "W", "notes": "", "done": False, "completed": None, "start": start, "ring": None, "repeat": rule}

    made = kit.run({"do": "make", "kind": "reminder", "shelf": "Work", "entry": entry})

    assert made == {"entry": {**entry, "uid": "EK-1"}}
    assert kit.run({"do": "look", "kind": "reminder", "uid": "EK-1"}) == made


def test_a_rule_that_eventkit_does_not_have_is_refused_and_nothing_is_made(store: Store):
    kit = EventKit(eventkit(store), foundation(ZONE))
    entry = {"title": "W", "notes": "", "start": "2031-05-02", "ring": None, "repeat": "FREQ=HOURLY", "done": False}

    with fails(ProviderError, "calendar.no_repeat"):
        kit.run({"do": "make", "kind": "reminder", "shelf": "Work", "entry": entry})

    assert store.kept == {}


async def test_texts_arrive_as_they_are(tried: Trial, store: Store):
    await create(tried, title=ONE_LINE, notes=LINES, due="2031-05-02")

    (kept,) = store.kept.values()
    separated = LINES.replace("\u2028", "\n").replace("\u2029", "\n")
    assert (kept.title(), kept.notes()) == (ONE_LINE, separated)


async def test_a_list_that_could_not_be_read_is_not_taken_for_an_empty_one(tried: Trial, store: Store):
    store.silent = True

    with fails(ProviderError, "macos.refused"):
        await tried.answer("reminder.list")


async def test_what_eventkit_does_not_save_is_not_done_and_told_by_its_number(tried: Trial, store: Store):
    plan = await tried.plan("reminder.create", title="Milk")
    store.refuses = True

    with fails(ProviderError, "macos.refused", match="6: "):
        await tried.do(plan)

    assert store.kept == {}


async def test_a_reminder_that_was_changed_since_is_left_alone(tried: Trial, store: Store):
    await create(tried, title="Milk")
    plan = await tried.plan("reminder.complete", reminder="Milk")
    (kept,) = store.kept.values()
    kept.values["notes"] = "2 l"

    with fails(ProviderError, "world.changed"):
        await tried.do(plan)

    assert not kept.isCompleted()


async def test_macos_asks_once_and_what_it_does_not_allow_is_named_with_where_to_allow_it(tried: Trial, store: Store):
    store.status, store.asked = NOT_ASKED, DENIED

    for _ in range(2):
        with fails(SetupError, "macos.reminders", match="Privacy & Security > Reminders"):
            await tried.answer("reminder.list")

    assert store.questions == 1


async def test_after_a_yes_the_reminders_are_there(tried: Trial, store: Store):
    store.status = NOT_ASKED

    await create(tried, title="Milk")

    assert [one["title"] for one in await list_reminders(tried)] == ["Milk"]


async def test_doctor_says_by_what_reminders_can_repeat(mac: SimulatedMac, store: Store):
    with_kit = await backend(mac, store).capabilities()
    without = await AppleCalendarBackend(on(mac)).capabilities()

    assert find_eventkit() is None
    assert (with_kit[1].served, without[1].served) == ("EventKit", "")
    assert "[macos]" in without[1].fix
