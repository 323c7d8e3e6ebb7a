"""Events through a stand-in for EventKit, written from documentation; it was never held against a Mac."""

from datetime import datetime
from typing import Any, cast

import pytest

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.providers.calendar import CALENDAR
from sayso.testing.harness import Trial
from sayso.testing.macos import SimulatedMac
from tests.fails import fails
from tests.mac_env.eventkit import (
    ADD_ONLY,
    DENIED,
    INIT,
    NOT_ASKED,
    ZONE,
    Alarm,
    End,
    Event,
    NSDate,
    Person,
    Rule,
    Store,
    Zone,
)
from tests.mac_env.hostile import ONE_LINE
from tests.providers.calendar.test_eventkit import backend

DAYS = {"start": "2026-03-01", "end": "2026-05-01"}
LUNCH = {"title": "Lunch", "start": "2026-03-27 12:00", "end": "2026-03-27 13:00"}


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def tried(mac: SimulatedMac, store: Store) -> Trial:
    return Trial(CALENDAR, backend(mac, store))


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE).timestamp()


def plant(store: Store, repeat: tuple[int, int] | None = None, **more: Any) -> Event:
    """Keep an event that somebody made in Calendar; `repeat` is how often and how many times."""
    event = Event()
    dates = {"startDate": NSDate(seconds("2026-03-27 12:00")), "endDate": NSDate(seconds("2026-03-27 13:00"))}
    event.values.update({"title": "Lunch", "calendar": store.calendars[1], "allDay": False, **dates, **more})
    if repeat is not None:
        rule = Rule.alloc()
        end = End(repeat[1], None)
        event.addRecurrenceRule_(getattr(rule, INIT)(repeat[0], 1, None, None, None, None, None, None, end))
    store.saveEvent_span_commit_error_(event, 1, True, None)
    return store.events[event.uid]


async def listed(tried: Trial) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", (await tried.answer("calendar.list", **DAYS)).data["events"])


async def test_an_event_is_made_in_eventkit_and_no_script_runs(mac: SimulatedMac, tried: Trial, store: Store):
    await tried.do(await tried.plan("calendar.create_event", **{**LUNCH, "title": ONE_LINE}, calendar_name="work"))

    (event,) = store.events.values()
    assert (event.title(), event.calendar().title()) == (ONE_LINE, "Work")
    assert event.startDate().seconds == seconds("2026-03-27 12:00")
    assert mac.app("Calendar")["calendars"][0]["events"] == []


async def test_the_calendar_for_new_events_is_that_of_calendar(tried: Trial, store: Store):
    store.calendars.reverse()

    with fails(ProviderError, "calendar.no_calendar", match="“Holidays”; calendars: “Work”, “Home”"):
        await tried.plan("calendar.create_event", **LUNCH)


async def test_an_event_of_days_ends_on_its_last_day(tried: Trial, store: Store):
    await tried.do(await tried.plan("calendar.create_event", title="Trip", start="2026-03-28", end="2026-03-30"))

    (event,) = store.events.values()
    assert event.isAllDay()
    assert datetime.fromtimestamp(event.endDate().seconds, ZONE).date().isoformat() == "2026-03-29"
    (row,) = await listed(tried)
    assert (row["start"], row["end"]) == ("2026-03-28", "2026-03-30")


async def test_a_repeating_event_keeps_its_hour_when_clocks_change(tried: Trial, store: Store):
    plant(store, repeat=(0, 4))

    found = await listed(tried)

    assert [one["start"][5:] for one in found] == [
        "03-27T12:00+01:00",
        "03-28T12:00+01:00",
        "03-29T12:00+02:00",
        "03-30T12:00+02:00",
    ]


async def test_an_event_of_another_zone_is_told_with_its_own_time(tried: Trial, store: Store):
    plant(store, timeZone=Zone("America/New_York"))

    answer = await tried.answer("calendar.list", **DAYS)

    assert "America/New_York" in answer.text


async def test_one_time_is_taken_out_and_put_back(tried: Trial, store: Store):
    plant(store, repeat=(0, 4))
    before = await listed(tried)
    plan = await tried.plan("calendar.delete_event", id=before[1]["id"])

    lefts = await tried.do(plan)

    (kept,) = store.events.values()
    assert kept.gone == {seconds("2026-03-28 12:00")}
    assert [one["start"] for one in await listed(tried)] == [one["start"] for one in (before[0], *before[2:])]
    await tried.take_back(plan, lefts)
    assert await listed(tried) == before
    assert len(store.events) == 1
    again = await tried.plan("calendar.delete_event", id=before[2]["id"])
    await tried.do(again, 1)
    assert len(await listed(tried)) == 3


async def test_one_time_is_moved_and_renamed_and_goes_back(tried: Trial, store: Store):
    plant(store, repeat=(1, 3))
    before = await listed(tried)
    plan = await tried.plan(
        "calendar.update_event", id=before[1]["id"], title="Brunch", start="2026-04-04 10:00", end="2026-04-04 11:00"
    )

    lefts = await tried.do(plan)

    after = await listed(tried)
    assert [(one["title"], one["start"][:16]) for one in after] == [
        ("Lunch", "2026-03-27T12:00"),
        ("Brunch", "2026-04-04T10:00"),
        ("Lunch", "2026-04-10T12:00"),
    ]
    await tried.take_back(plan, lefts)
    assert await listed(tried) == before


async def test_all_times_of_an_event_are_renamed_and_what_sayso_does_not_know_stays(tried: Trial, store: Store):
    event = plant(store, repeat=(1, 3))
    alarm = Alarm(NSDate(seconds("2026-03-27 08:00")))
    event.addAlarm_(alarm)
    (first, *_) = await listed(tried)

    await tried.do(await tried.plan("calendar.update_event", id=str(first["id"]).partition("~")[0], title="Brunch"))

    (kept,) = store.events.values()
    assert [one["title"] for one in await listed(tried)] == ["Brunch"] * 3
    assert kept.alarms() == [alarm]


async def test_a_time_that_the_rule_does_not_have_is_listed_too(tried: Trial, store: Store):
    event = plant(store, repeat=(1, 2))
    event.more.append(datetime.fromisoformat("2026-04-01 12:00"))

    found = await listed(tried)

    assert [one["start"][5:10] for one in found] == ["03-27", "04-01", "04-03"]


async def test_a_canceled_event_is_not_listed(tried: Trial, store: Store):
    plant(store).canceled = True

    assert await listed(tried) == []


async def test_doctor_names_the_calendars_or_what_is_not_allowed(mac: SimulatedMac, store: Store):
    allowed, _ = await backend(mac, store).capabilities()
    store.status = DENIED
    (denied,) = await backend(mac, store).capabilities()

    assert allowed.why.startswith("calendars: “Home”, “Work”, “Holidays”")
    assert (denied.served, "Privacy & Security > Calendars" in denied.why) == ("", True)


async def test_a_deleted_series_comes_back_with_its_alarm_and_what_was_taken_out_of_it(tried: Trial, store: Store):
    event = plant(store, repeat=(0, 4))
    event.addAlarm_(Alarm(None, -900))
    event.gone.add(seconds("2026-03-28 12:00"))
    before = await listed(tried)
    plan = await tried.plan("calendar.delete_event", id=str(before[0]["id"]).partition("~")[0])

    lefts = await tried.do(plan)

    assert store.events == {}
    await tried.take_back(plan, lefts)
    assert await listed(tried) == before
    (kept,) = store.events.values()
    assert ([one.relativeOffset() for one in kept.alarms()], kept.calendar().title()) == ([-900], "Work")


async def test_an_event_of_a_far_year_is_found_again_after_it_was_put_back(tried: Trial, store: Store):
    far = {"title": "Eclipse", "start": "2081-09-03 09:00", "end": "2081-09-03 10:00"}
    made = await tried.plan("calendar.create_event", **far)
    await tried.do(made)
    plan = await tried.plan("calendar.delete_event", id=str(made.data["id"]))
    await tried.take_back(plan, await tried.do(plan, 1))

    await tried.do(await tried.plan("calendar.update_event", id=str(made.data["id"]), title="Sun"), 2)

    (kept,) = store.events.values()
    assert kept.title() == "Sun"
    answer = await tried.answer("calendar.list", start="2070-01-01", end="2090-01-01")
    assert [one["title"] for one in cast("list[dict[str, Any]]", answer.data["events"])] == ["Sun"]


async def test_one_time_of_an_event_with_invited_people_is_not_put_back(tried: Trial, store: Store):
    event = plant(store, repeat=(0, 4))
    event.people = [Person("ana@example.org")]
    plan = await tried.plan("calendar.delete_event", id=(await listed(tried))[1]["id"])
    assert "ana@example.org" in str(plan.sends)
    lefts = await tried.do(plan)

    with fails(ProviderError, "calendar.one_time", match="nothing was done"):
        await tried.take_back(plan, lefts)

    assert list(store.events) == [event.uid]


async def test_an_event_that_was_changed_since_is_left_alone(tried: Trial, store: Store):
    event = plant(store)
    change = await tried.plan("calendar.update_event", id=event.uid, title="Brunch")
    delete = await tried.plan("calendar.delete_event", id=event.uid)
    event.values["location"] = "Elsewhere"

    for plan in (change, delete):
        with fails(ProviderError, "world.changed"):
            await tried.do(plan)

    assert store.events[event.uid].title() == "Lunch"


async def test_what_eventkit_does_not_save_is_not_done(tried: Trial, store: Store):
    plan = await tried.plan("calendar.create_event", **LUNCH)
    store.refuses = True

    with fails(ProviderError, "macos.refused", match="Calendar refused, and nothing was changed"):
        await tried.do(plan)

    assert store.events == {}


async def test_a_change_of_which_a_part_was_saved_is_unknown(tried: Trial, store: Store):
    event = plant(store, repeat=(0, 4))
    event.gone.add(seconds("2026-03-28 12:00"))
    plan = await tried.plan("calendar.delete_event", id=event.uid)
    lefts = await tried.do(plan)
    store.refuses_removals = True

    with fails(Uncertain, "macos.refused", match="a part of the change"):
        await tried.take_back(plan, lefts)


async def test_an_event_with_people_that_calendar_made_and_eventkit_does_not_show_is_unknown(
    tried: Trial, store: Store
):
    plan = await tried.plan("calendar.create_event", **LUNCH, participants=["ana@example.org"])
    store.by_calendar = list

    with fails(Uncertain, "calendar.unseen"):
        await tried.do(plan)


@pytest.mark.parametrize("status", [NOT_ASKED, ADD_ONLY])
async def test_macos_asks_once_for_full_access_and_a_no_says_where_to_give_it(tried: Trial, store: Store, status: int):
    store.status, store.asked = status, DENIED

    for _ in range(2):
        with fails(SetupError, "macos.calendars", match="Privacy & Security > Calendars, give full access to"):
            await tried.answer("calendar.today")

    assert store.questions == 1


async def test_after_a_yes_the_events_are_there(tried: Trial, store: Store):
    plant(store)
    store.status = NOT_ASKED

    assert [one["title"] for one in await listed(tried)] == ["Lunch"]
