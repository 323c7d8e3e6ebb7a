"""What becomes of a trigger at a moment: it runs, or its time is passed over, and once only."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.assistant.triggers.due import Due, cooling, moment, of_event, of_schedule
from sayso.core.conversation import Trigger, TriggerState

DAILY = Trigger("wrap-up", "End of the day", schedule="daily 18:00", zone="UTC", lines="A")
FILES = Trigger("scans", "A scan", event="file", folder="/x", lines="A")
MAIL = Trigger("mail", "A mail", event="mail", lines="A")
NEAR = Trigger("near", "An event", event="calendar", lines="A")


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2027-03-{text}").replace(tzinfo=UTC)


def seen(trigger: Trigger, time: str, **more: object) -> TriggerState:
    return replace(TriggerState(trigger.name, when=trigger.when, seen=moment(at(time))), **more)


def how(due: Due | None) -> str | None:
    return due.how if due else None


@pytest.mark.req("S0-03")
def test_a_time_that_came_is_due_and_is_not_due_again():
    state, due = of_schedule(DAILY, seen(DAILY, "09 17:00"), at("09 18:00"), on=True)

    assert due == Due(DAILY, "due", at("09 18:00"), began=moment(at("09 18:00")))
    assert (state.seen, state.fired, state.run) == (moment(at("09 18:00")),) * 2 + ("",)
    assert of_schedule(DAILY, state, at("10 17:59"), on=True) == (state, None)


def test_nothing_is_due_before_its_time():
    state = seen(DAILY, "09 17:00")

    assert of_schedule(DAILY, state, at("09 17:59"), on=True) == (state, None)


def test_what_was_due_before_there_was_a_trigger_was_not_missed():
    state, due = of_schedule(DAILY, TriggerState("wrap-up"), at("09 18:30"), on=True)

    assert due is None
    assert how(of_schedule(DAILY, state, at("10 18:00"), on=True)[1]) == "due"


def test_another_schedule_begins_anew():
    earlier = replace(DAILY, schedule="daily 07:00")

    state, due = of_schedule(earlier, seen(DAILY, "08 18:00"), at("09 12:00"), on=True)

    assert due is None
    assert how(of_schedule(earlier, state, at("10 07:00"), on=True)[1]) == "due"


@pytest.mark.req("S0-03")
@pytest.mark.parametrize(("missed", "becomes"), [("run", "missed"), ("skip", "skipped")])
def test_of_times_that_nobody_watched_the_last_is_run_once_or_skipped(missed: str, becomes: str):
    trigger = replace(DAILY, missed=missed)

    state, due = of_schedule(trigger, seen(trigger, "02 12:00"), at("09 18:30"), on=True)

    assert (how(due), due and due.at) == (becomes, at("09 18:00"))
    assert of_schedule(trigger, state, at("09 19:00"), on=True) == (state, None)


@pytest.mark.req("T-53")
def test_a_time_that_comes_while_it_is_off_is_passed_over():
    state, due = of_schedule(DAILY, seen(DAILY, "09 17:00"), at("09 18:00"), on=False)

    assert (how(due), state.fired) == ("off", "")
    assert of_schedule(DAILY, state, at("09 18:01"), on=True) == (state, None)


def test_a_schedule_that_cools_down_passes_over_its_time():
    trigger = replace(DAILY, cooldown_minutes=30)

    state, due = of_schedule(trigger, seen(trigger, "09 17:00", fired=moment(at("09 17:31"))), at("09 18:00"), on=True)

    assert (how(due), state.fired) == ("cooling", moment(at("09 17:31")))


def test_a_clock_that_went_back_does_not_run_it_twice_and_one_that_was_years_ahead_does_not_stop_it():
    state = seen(DAILY, "09 18:00")

    assert of_schedule(DAILY, state, at("09 17:30"), on=True)[1] is None
    assert of_schedule(DAILY, state, at("09 18:00"), on=True)[1] is None
    healed, _ = of_schedule(DAILY, replace(state, seen="2040-01-01T00:00:00+00:00"), at("09 17:00"), on=True)
    assert how(of_schedule(DAILY, healed, at("09 18:00"), on=True)[1]) == "due"


@pytest.mark.req("S0-73", "T-54")
@pytest.mark.parametrize(("time", "rests"), [("10:00:00", True), ("10:29:59", True), ("10:30:00", False)])
def test_exactly_thirty_minutes_later_it_may_fire(time: str, rests: bool):
    state = TriggerState("a", fired=moment(at("09 10:00")))

    assert cooling(state, 30, at(f"09 {time}")) is rests


def test_what_never_fired_does_not_cool_down():
    assert not cooling(TriggerState("a"), 30, at("09 10:00"))
    assert not cooling(TriggerState("a", fired=moment(at("09 10:00"))), 0, at("09 10:00"))
    assert not cooling(TriggerState("a", fired=moment(at("09 10:00"))), 30, at("09 09:00"))  # a clock that was wrong


def test_files_that_are_there_at_first_are_old_and_a_new_one_fires_once():
    state, first = of_event(FILES, TriggerState("scans"), at("09 10:00"), {"/x/a": "a"}, on=True)
    state, second = of_event(FILES, state, at("09 10:01"), {"/x/a": "a", "/x/b": "b", "/x/c": "c"}, on=True)

    assert first is None
    assert second == Due(FILES, "due", at("09 10:01"), ("b", "c"), moment(at("09 10:01")))
    assert of_event(FILES, state, at("09 10:02"), {"/x/a": "a", "/x/b": "b", "/x/c": "c"}, on=True) == (state, None)


def test_a_file_that_is_made_again_is_new_and_a_mail_that_comes_back_is_not():
    begin = at("09 10:00")
    for trigger, again in ((FILES, "due"), (MAIL, None)):
        state, _ = of_event(trigger, TriggerState(trigger.name), begin, {"a": "A"}, on=True)
        state, gone = of_event(trigger, state, begin, {}, on=True)

        assert gone is None
        assert how(of_event(trigger, state, begin, {"a": "A"}, on=True)[1]) == again


def test_an_event_of_the_calendar_that_is_near_at_first_fires():
    _, due = of_event(NEAR, TriggerState("near"), at("09 10:00"), {"e 10:05": "Stand-up"}, on=True)

    assert (how(due), due and due.what) == ("due", ("Stand-up",))


@pytest.mark.req("T-53")
def test_what_happens_while_it_is_off_is_old_later():
    state, _ = of_event(FILES, TriggerState("scans"), at("09 10:00"), {}, on=True)
    state, due = of_event(FILES, state, at("09 10:01"), {"/x/a": "a"}, on=False)

    assert how(due) == "off"
    assert of_event(FILES, state, at("09 10:02"), {"/x/a": "a"}, on=True)[1] is None


def test_what_happens_while_it_cools_down_fires_afterwards_together():
    trigger = replace(FILES, cooldown_minutes=10)
    state, _ = of_event(trigger, TriggerState("scans"), at("09 10:00"), {}, on=True)
    state, first = of_event(trigger, state, at("09 10:01"), {"a": "a"}, on=True)
    state, second = of_event(trigger, state, at("09 10:05"), {"a": "a", "b": "b"}, on=True)
    _, third = of_event(trigger, state, at("09 10:11"), {"a": "a", "b": "b", "c": "c"}, on=True)

    assert [how(one) for one in (first, second, third)] == ["due", None, "due"]
    assert third is not None
    assert third.what == ("b", "c")


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=30), st.booleans())
def test_each_day_is_taken_care_of_at_most_once_however_it_is_watched(minutes: list[int], run: bool):
    trigger = replace(DAILY, missed="run" if run else "skip")
    state, now, days = seen(trigger, "01 00:00"), at("01 00:00"), list[datetime]()

    for step in minutes:
        now += timedelta(minutes=step)
        state, due = of_schedule(trigger, state, now, on=True)
        days += [due.at] if due else []

    assert len(set(days)) == len(days)
    assert all(one <= now for one in days)
    assert all(one.hour == 18 for one in days)
    assert not days or now - days[-1] < timedelta(days=1) or now.replace(hour=18, minute=0) > now
