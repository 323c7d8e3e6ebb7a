"""Calendar and Reminders on a simulated Mac."""

from pathlib import Path
from typing import Any, cast

import pytest

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.ports import Backend
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.apple.backend import build
from sayso.testing.calendar import CalendarSuite, list_events, list_reminders
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from tests.fails import fails
from tests.mac_env.fixtures import in_node, on
from tests.mac_env.hostile import LINES, ONE_LINE

BOTH = pytest.mark.parametrize("mac", ["jsc", pytest.param("node", marks=pytest.mark.thorough)], indirect=True)
LUNCH = {"title": "Lunch", "start": "2031-05-02 12:00", "end": "2031-05-02 13:00"}
DAY = {"start": "2031-05-01", "end": "2031-05-10"}


@pytest.mark.thorough
class TestApple(CalendarSuite):
    """The suite on simulated Macs; by scripts, no reminder can be made that repeats."""

    @pytest.fixture(autouse=True)
    def _places(self, mac: SimulatedMac, tmp_path: Path) -> None:
        self._folder, self._engine = tmp_path, mac.engine
        self._made = 0

    def make(self) -> Backend:
        self._made += 1
        return build(on(SimulatedMac(self._folder / f"mac{self._made}", self._engine)))

    async def test_a_repeating_reminder_is_due_again_after_its_completion(self) -> None:
        """A reminder that repeats is refused, and nothing is made."""
        tried = self.trial()

        with fails(ProviderError, "calendar.no_repeat"):
            await tried.do(await tried.plan("reminder.create", title="Water", due="2031-05-02", repeat="daily"))

        assert await list_reminders(tried) == []

    async def test_a_deleted_reminder_comes_back_whole(self) -> None:
        """Delete a reminder, and undo that."""
        tried = self.trial()
        await tried.do(await tried.plan("reminder.create", title="Water", due="2031-05-02", notes="a\nb"))
        plan = await tried.plan("reminder.delete", reminder="Water")
        lefts = await tried.do(plan)
        assert await list_reminders(tried) == []

        await tried.take_back(plan, lefts)

        (now,) = await list_reminders(tried)
        assert (now["title"], now["due"], now["notes"]) == ("Water", "2031-05-02", "a\nb")

    async def test_a_reminder_changed_since_is_not_touched(self) -> None:
        """Plan a completion and a deletion, let another completion come first, then try both."""
        tried = self.trial()
        await tried.do(await tried.plan("reminder.create", title="Water", due="2031-05-02"))
        complete = await tried.plan("reminder.complete", reminder="Water")
        delete = await tried.plan("reminder.delete", reminder="Water")
        await tried.do(complete)

        await refusal_of(tried.do(complete))
        await refusal_of(tried.do(delete))

    async def test_a_reminder_rings_when_it_is_due(self) -> None:
        """Create a timer and a reminder of a day; each has the time at which Reminders shows it."""
        tried = self.trial()
        for title, arguments in (("Tea", {"in_minutes": 20}), ("Bin", {"due": "2031-05-02"})):
            await tried.do(await tried.plan("reminder.create", title=title, **arguments))

        found = (await tried.seen.reminders()).reminders

        assert [(one.title, one.rings[:1]) for one in found] == [("Tea", (0.0,)), ("Bin", (9 * 3600.0,))]


@in_node
class TestAppleInNode(TestApple):
    """The same in another engine."""


def trial(mac: SimulatedMac) -> Trial:
    return Trial(CALENDAR, build(on(mac)))


def entries(mac: SimulatedMac, app: str = "Calendar") -> list[dict[str, Any]]:
    """Return the entries of the first calendar or list, as they are now."""
    record = mac.app(app)
    return record["calendars"][0]["events"] if app == "Calendar" else record["lists"][0]["reminders"]


async def listed(tried: Trial) -> list[dict[str, Any]]:
    """Return the events of the days around the one of the tests."""
    return cast("list[dict[str, Any]]", (await tried.answer("calendar.list", **DAY)).data["events"])


@BOTH
@pytest.mark.req("S1-25", "S1-26")
async def test_hostile_texts_arrive_whole_in_every_parameter(mac: SimulatedMac):
    tried = trial(mac)

    made = await tried.plan("calendar.create_event", **{**LUNCH, "title": ONE_LINE, "location": ONE_LINE})
    await tried.do(made)
    await tried.do(
        await tried.plan("reminder.create", title=ONE_LINE, notes=LINES.replace("\u2028", "").replace("\u2029", ""))
    )

    (event,), (reminder,) = entries(mac), entries(mac, "Reminders")
    assert (event["summary"], event["location"], reminder["name"]) == (ONE_LINE, ONE_LINE, ONE_LINE)
    assert reminder["body"] == LINES.replace("\u2028", "").replace("\u2029", "")
    await tried.do(await tried.plan("calendar.update_event", id=str(made.data["id"]), title=f"{ONE_LINE}!"))
    assert entries(mac)[0]["summary"] == f"{ONE_LINE}!"
    no = await refusal_of(tried.plan("calendar.create_event", **{**LUNCH, "calendar_name": ONE_LINE}))
    assert ONE_LINE[4:] in str(no)


@pytest.mark.req("T-46")
async def test_times_reach_the_application_as_moments_and_days_as_days(mac: SimulatedMac):
    tried = trial(mac)

    await tried.do(await tried.plan("calendar.create_event", title="Trip", start="2031-05-02", end="2031-05-04"))
    await tried.do(await tried.plan("reminder.create", title="Call", due="2031-05-02 09:30"))
    await tried.do(await tried.plan("reminder.create", title="Pay", due="2031-05-03"))

    (trip,), (call, pay) = entries(mac), entries(mac, "Reminders")
    assert trip["alldayEvent"] is True
    assert (call["dueDate"] is not None, call["alldayDueDate"]) == (True, None)
    assert (pay["dueDate"], pay["alldayDueDate"] is not None) == (None, True)
    assert [one["due"] for one in await list_reminders(tried)][1] == "2031-05-03"


async def test_a_calendar_that_cannot_be_written_to_is_not_offered(mac: SimulatedMac):
    no = await refusal_of(trial(mac).plan("calendar.create_event", **LUNCH, calendar_name="Holidays"))

    assert str(no) == "no calendar that can be written to is called “Holidays”; calendars: “Home”"


async def test_a_repeating_event_is_listed_by_its_times_and_one_of_them_can_be_taken_out(mac: SimulatedMac):
    tried = trial(mac)
    await tried.do(await tried.plan("calendar.create_event", **LUNCH))
    calendars = mac.app("Calendar")["calendars"]
    calendars[0]["events"][0]["recurrence"] = "FREQ=DAILY;COUNT=3"
    mac.plant("Calendar", calendars=calendars)
    before = await listed(tried)
    second = str(before[1]["id"])

    plan = await tried.plan("calendar.delete_event", id=second)
    left = await tried.do(plan)
    after = await listed(tried)
    await tried.take_back(plan, left)

    assert (len(before), len(after)) == (3, 2)
    assert await listed(tried) == before
    with fails(ProviderError, "calendar.one_time"):
        await tried.do(await tried.plan("calendar.update_event", id=second, title="Other"))


async def test_an_event_that_was_changed_after_the_plan_is_left_alone(mac: SimulatedMac):
    tried = trial(mac)
    made = await tried.plan("calendar.create_event", **LUNCH)
    left = await tried.do(made)
    calendars = mac.app("Calendar")["calendars"]
    calendars[0]["events"][0]["summary"] = "Mine"
    mac.plant("Calendar", calendars=calendars)

    await refusal_of(tried.take_back(made, left))

    assert [event["title"] for event in await list_events(tried)] == []
    assert entries(mac)[0]["summary"] == "Mine"


@pytest.mark.parametrize(("app", "operation"), [("Calendar", "calendar.today"), ("Reminders", "reminder.list")])
async def test_a_missing_permission_is_named_with_the_application(mac: SimulatedMac, app: str, operation: str):
    mac.fault(app, "denied")

    with pytest.raises(SetupError, match=f"control {app}; in System Settings > Privacy & Security > Automation"):
        await trial(mac).answer(operation)


async def test_a_failure_in_a_list_is_told_and_not_taken_for_an_empty_one(mac: SimulatedMac):
    mac.fault("Calendar", "hang", on="get")

    with pytest.raises(SaysoError, match="did not answer in time"):
        await trial(mac).answer("calendar.today")


async def test_an_application_that_hangs_while_it_makes_an_event_leaves_it_unknown(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("calendar.create_event", **LUNCH)
    mac.fault("Calendar", "hang", on="make")

    assert isinstance(await refusal_of(tried.do(plan)), Uncertain)


async def test_an_event_stays_with_its_calendar_while_calendars_change_places(mac: SimulatedMac):
    work: dict[str, object] = {"#": "calendar", "name": "Work", "writable": True, "events": []}
    mac.plant("Calendar", calendars=[*mac.app("Calendar")["calendars"], work])
    tried = trial(mac)
    mac.fault("Calendar", "reorder")

    await tried.do(await tried.plan("calendar.create_event", **LUNCH, calendar_name="Work"))
    await tried.do(await tried.plan("calendar.create_event", **{**LUNCH, "title": "Run"}, calendar_name="Home"))

    there = {one["name"]: [event["summary"] for event in one["events"]] for one in mac.app("Calendar")["calendars"]}
    assert there == {"Home": ["Run"], "Holidays": [], "Work": ["Lunch"]}
    assert sorted((one["title"], one["calendar"]) for one in await listed(tried)) == [
        ("Lunch", "Work"),
        ("Run", "Home"),
    ]


async def test_a_reminder_is_said_to_be_shown_by_reminders(mac: SimulatedMac):
    made = await trial(mac).plan("reminder.create", title="Tea", in_minutes=20)

    assert made.said_when_done.endswith("; Reminders rings it")


async def test_doctor_tells_the_calendars(mac: SimulatedMac):
    works, _ = await build(on(mac)).capabilities()

    assert works.why == "calendars: “Home”, “Holidays”, “Reminders”"
