"""A text is about the uids of its events and to-dos, each once."""

from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.datetimes import LocalZone
from sayso.core.errors import ProviderError
from sayso.core.plan import ChangeRef, ResultRef
from sayso.providers.calendar.ical.parse import Resource, Unreadable, parse_calendar
from sayso.providers.calendar.ical.query import (
    IcalCalendar,
    NamedCalendar,
    Resources,
    holds_uid,
    may_touch,
    occurrences,
    uids_of,
    whole_event,
)
from sayso.providers.calendar.ical.reminders import reminders_in
from sayso.providers.calendar.model import DeleteEntry, DeleteOccurrence, EntryIs, UpdateEvent
from sayso.testing.fakes import FakeClock, NumberedIds


def test_a_text_is_about_the_uids_of_its_events_and_to_dos_each_once():
    event = "BEGIN:VEVENT\nUID:a\\, b\nSUMMARY:c@d\nEND:VEVENT\n"
    text = f"BEGIN:VCALENDAR\n{event * 2}BEGIN:VTODO\nUID:c\nEND:VTODO\nEND:VCALENDAR\n"

    assert uids_of(parse_calendar(text)) == ("a, b", "c")
    assert Resource("p", text, "e").whole() == parse_calendar(text)
    assert holds_uid(text, "c")
    assert not holds_uid(text, "c@d")
    assert not holds_uid("BEGIN:VCALENDAR a@b", "a@b")


BERLIN = ZoneInfo("Europe/Berlin")


def text_of(*lines: str, kind: str = "VEVENT") -> str:
    inner = "".join(f"{line}\r\n" for line in ("UID:a@b", "DTSTAMP:20260101T000000Z", *lines))
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:{kind}\r\n{inner}END:{kind}\r\nEND:VCALENDAR\r\n"


def found(text: str, first: str, last: str, zone: ZoneInfo | LocalZone = BERLIN) -> list[tuple[str, str]]:
    start, end = (datetime.fromisoformat(one).replace(tzinfo=zone) for one in (first, last))
    resource = Resource("p/a.ics", text, "e1", "Work")
    return [(one.start, one.end) for one in occurrences(resource, start, end, zone)]


@pytest.mark.req("S1-25", "T-46")
@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        (
            ["DTSTART:20260314T090000Z", "DTEND:20260314T100000Z"],
            [("2026-03-14T10:00+01:00", "2026-03-14T11:00+01:00")],
        ),
        (["DTSTART:20260314T090000", "DURATION:PT30M"], [("2026-03-14T09:00+01:00", "2026-03-14T09:30+01:00")]),
        (
            ["DTSTART;TZID=America/New_York:20260314T180000", "DTEND;TZID=America/New_York:20260314T183000"],
            [("2026-03-14T23:00+01:00", "2026-03-14T23:30+01:00")],
        ),
        (["DTSTART;VALUE=DATE:20260314"], [("2026-03-14", "2026-03-15")]),
        (["DTSTART;VALUE=DATE:20260313", "DTEND;VALUE=DATE:20260316"], [("2026-03-13", "2026-03-16")]),
        (["DTSTART;VALUE=DATE:20260313", "DTEND;VALUE=DATE:20260314"], []),
        (["DTSTART:20260313T220000Z", "DTEND:20260313T230000Z"], []),
        (
            ["DTSTART:20260313T220000Z", "DTEND:20260313T230100Z"],
            [("2026-03-13T23:00+01:00", "2026-03-14T00:01+01:00")],
        ),
        (["DTSTART:20260314T230000Z", "DTEND:20260315T000000Z"], []),
        (["DTSTART:20260313T230000Z"], [("2026-03-14T00:00+01:00", "2026-03-14T00:00+01:00")]),
        (["DTSTART:20260312T090000Z", "DTEND:20260312T100000Z", "RRULE:FREQ=DAILY", "EXDATE:20260314T090000Z"], []),
        (
            ["DTSTART:20260101T090000Z", "DTEND:20260101T093000Z", "RRULE:FREQ=DAILY"],
            [("2026-03-14T10:00+01:00", "2026-03-14T10:30+01:00")],
        ),
        (
            ["DTSTART:20200229T090000Z", "RDATE:20260314T120000Z", "DURATION:PT1H"],
            [("2026-03-14T13:00+01:00", "2026-03-14T14:00+01:00")],
        ),
        (["DTSTART:20260314T090000Z", "STATUS:CANCELLED"], []),
        (["DTSTART;VALUE=DATE:20160314", "RRULE:FREQ=YEARLY"], [("2026-03-14", "2026-03-15")]),
    ],
)
def test_a_day_has_what_takes_place_on_it(lines: list[str], ends: list[tuple[str, str]]):
    assert found(text_of("SUMMARY:x", *lines), "2026-03-14T00:00", "2026-03-15T00:00") == ends


@pytest.mark.parametrize(
    ("zone", "own"),
    [("America/New_York", "18:00 America/New_York"), ("Europe/Berlin", ""), ("Europe/Paris", ""), ("", "")],
)
def test_an_event_of_another_zone_says_what_its_own_clocks_show(zone: str, own: str):
    form = f";TZID={zone}" if zone else ""
    resource = Resource("p", text_of(f"DTSTART{form}:20260314T180000", "DURATION:PT1H"), "e")
    start, end = (datetime(2026, 3, day, tzinfo=BERLIN) for day in (13, 17))

    assert [one.own_time for one in occurrences(resource, start, end, BERLIN)] == [own]


@pytest.mark.req("T-46")
@pytest.mark.parametrize(
    ("day", "hours"),
    [("2026-03-29", "+02:00"), ("2026-10-25", "+01:00"), ("2026-03-28", "+01:00"), ("2026-10-24", "+02:00")],
)
def test_a_daily_event_stays_at_its_hour_when_clocks_change(day: str, hours: str):
    daily = text_of("DTSTART;TZID=Europe/Berlin:20260101T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY", "SUMMARY:x")
    next_day = f"{day[:-2]}{int(day[-2:]) + 1}"

    assert found(daily, f"{day}T00:00", f"{next_day}T00:00") == [(f"{day}T09:00{hours}", f"{day}T10:00{hours}")]


@pytest.mark.req("T-46")
def test_the_night_in_which_an_hour_comes_twice_has_both():
    twice = text_of("DTSTART:20261025T003000Z", "DTEND:20261025T013000Z", "SUMMARY:x")

    assert found(twice, "2026-10-25T00:00", "2026-10-26T00:00") == [
        ("2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00")
    ]


@pytest.mark.req("T-46")
@pytest.mark.parametrize("ends", ["DTEND;TZID=Europe/Berlin:20260101T030000", "DURATION:PT30M"])
def test_what_begins_in_the_hour_that_spring_skips_is_as_long_as_ever(ends: str):
    daily = text_of("DTSTART;TZID=Europe/Berlin:20260101T023000", ends, "RRULE:FREQ=DAILY", "SUMMARY:x")

    assert found(daily, "2026-03-29T00:00", "2026-03-30T00:00") == [
        ("2026-03-29T03:30+02:00", "2026-03-29T04:00+02:00")
    ]


def test_an_occurrence_has_an_id_of_its_own_and_the_series_keeps_its_uid():
    standup = ("SUMMARY:Standup", "DTSTART;TZID=Europe/Berlin:20260101T100000", "DURATION:PT1H", "RRULE:FREQ=DAILY")
    text = text_of(*standup, "ATTENDEE:mailto:bo@example.org", "LOCATION:Room\\, 1")
    resource = Resource("p/a.ics", text, "e1", "Work")

    (one,) = occurrences(resource, datetime(2026, 3, 14, tzinfo=BERLIN), datetime(2026, 3, 15, tzinfo=BERLIN), BERLIN)
    whole = whole_event(resource, "a@b", BERLIN)

    assert (one.uid, one.entry, one.occurrence, one.repeats) == ("a@b~20260314T100000", "a@b", "20260314T100000", False)
    assert (one.title, one.location, one.participants) == ("Standup", "Room, 1", ("bo@example.org",))
    assert whole is not None
    assert (whole.uid, whole.repeats, whole.start) == ("a@b", True, "2026-01-01T10:00+01:00")


@pytest.mark.req("CA-03")
@pytest.mark.parametrize(
    "lines",
    [
        ["DTSTART:20260314T100000Z", "DTEND:20260314T090000Z"],
        ["DTSTART:20260314T100000Z", "DTEND;VALUE=DATE:20260315"],
        ["DTSTART:20260314T100000Z", "RRULE:FREQ=DAILY;UNTIL=never"],
        ["DTSTART:20269999T100000Z"],
    ],
)
def test_what_makes_no_sense_says_so(lines: list[str]):
    with pytest.raises(Unreadable):
        found(text_of("SUMMARY:x", *lines), "2026-03-14T00:00", "2026-03-15T00:00")


@pytest.mark.parametrize(
    ("lines", "may"),
    [
        (["DTSTART:20260314T100000Z"], True),
        (["DTSTART:20260316T100000Z"], False),
        (["DTSTART:20260101T100000Z", "DTEND:20260102T100000Z"], False),
        (["DTSTART:20260101T100000Z", "DTEND:20270102T100000Z"], True),
        (["DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY"], True),
        (["DTSTART:soon"], True),
    ],
)
def test_only_what_may_take_place_is_looked_at(lines: list[str], may: bool):
    assert may_touch(parse_calendar(text_of(*lines)), "20260313", "20260315") == may


def test_reminders_are_those_that_are_open():
    open_one = text_of("SUMMARY:Call", "DESCRIPTION:a\\nb", "DUE;TZID=Europe/Berlin:20260314T100000", kind="VTODO")
    done = text_of("SUMMARY:Done", "STATUS:COMPLETED", kind="VTODO")

    (one,) = reminders_in(Resource("p", open_one, "e1"), BERLIN)

    assert (one.uid, one.title, one.notes, one.due) == ("a@b", "Call", "a\nb", "2026-03-14T10:00+01:00")
    assert reminders_in(Resource("p", done, "e1"), BERLIN) == ()
    assert whole_event(Resource("p", open_one, "e1"), "a@b", BERLIN) is None


NAMES = st.sampled_from(
    [
        "DTSTART",
        "DTEND",
        "DURATION",
        "RRULE",
        "EXDATE",
        "RDATE",
        "RECURRENCE-ID",
        "UID",
        "SUMMARY",
        "STATUS",
        "ATTENDEE",
        "DUE",
        "SEQUENCE",
        "EXRULE",
        "X-A",
    ]
)
PARAMS = st.sampled_from(["", ";VALUE=DATE", ";TZID=Europe/Berlin", ";TZID=Nowhere", ";VALUE=PERIOD", ';X="', ";TZID="])
VALUES = st.one_of(
    st.sampled_from(["20260314", "20260314T100000", "20260314T100000Z", "00000000", "99999999T999999Z", "P1D", ""]),
    st.sampled_from(["FREQ=DAILY", "FREQ=DAILY;COUNT=-1", "FREQ=WEEKLY;BYDAY=XX", "FREQ=HOURLY;INTERVAL=0"]),
    st.sampled_from([f"FREQ=DAILY;INTERVAL={'9' * 5000}", "FREQ=MONTHLY;BYMONTHDAY=" + "9" * 5000]),
    st.just("FREQ=YEARLY;BYMONTH=0;UNTIL=x"),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)


@pytest.mark.req("CA-03")
@settings(deadline=None)
@given(st.lists(st.tuples(NAMES, PARAMS, VALUES), max_size=6), st.sampled_from(["VEVENT", "VTODO"]))
def test_whatever_stands_in_a_text_it_is_read_or_said_to_be_unreadable(lines: list[tuple[str, str, str]], kind: str):
    resource = Resource("p", text_of(*(f"{name}{params}:{value}" for name, params, value in lines), kind=kind), "e")
    start, end = datetime(2026, 3, 14, tzinfo=BERLIN), datetime(2026, 3, 15, tzinfo=BERLIN)

    for look in (
        lambda: occurrences(resource, start, end, BERLIN),
        lambda: whole_event(resource, "a@b", BERLIN),
        lambda: reminders_in(resource, BERLIN),
        lambda: may_touch(resource.whole(), "20260314", "20260315"),
    ):
        with suppress(Unreadable):
            look()


@pytest.mark.req("CA-01")
def test_a_title_and_a_place_are_one_line_that_nothing_turns_round():
    text = text_of("DTSTART:20260314T090000Z", "SUMMARY:Pay\u202e\x07 now\\nX", "LOCATION:a\u2066b\x1b[31m")
    start, end = (datetime.fromisoformat(one).replace(tzinfo=BERLIN) for one in ("2026-03-14", "2026-03-15"))

    (event,) = occurrences(Resource("p/a.ics", text, "e1", "Work"), start, end, BERLIN)

    assert (event.title, event.location) == ("Pay now X", "a b [31m")


FIRST, LAST = datetime(2026, 3, 14, tzinfo=BERLIN), datetime(2026, 3, 17, tzinfo=BERLIN)
STAMP = "2026-03-14T13:00+01:00"


def daily(uid: str, rule: str = "FREQ=DAILY") -> str:
    text = text_of(f"SUMMARY:{uid}", "DTSTART:20260310T090000Z", "DURATION:PT1H", f"RRULE:{rule}")
    return text.replace("UID:a@b", f"UID:{uid}")


class Shelf:
    """Texts in memory."""

    def __init__(self, *texts: str) -> None:
        self._kept = [Resource(f"{number}.ics", text, f"e{number}") for number, text in enumerate(texts)]

    async def resources(self, kind: str, first: str, last: str) -> Resources:
        return Resources(tuple(self._kept), ("“x.ics” was left out: it is a pipe",))

    async def resource(self, uid: str) -> Resource | None:
        return next((one for one in self._kept if holds_uid(one.text, uid)), None)

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        return f"{calendar}/{uid}.{kind}"

    def calendar_of(self, place: str) -> str:
        return place.rpartition("/")[0]

    async def calendars(self) -> tuple[NamedCalendar, ...]:
        return ()


def reads(*texts: str) -> IcalCalendar:
    return IcalCalendar(Shelf(*texts), FakeClock(), NumberedIds(), BERLIN)


async def test_what_cannot_be_read_is_told_beside_what_can():
    found = await reads(daily("a", "FREQ=SECONDLY"), daily("b")).between(FIRST, LAST)

    assert [event.title for event in found.events] == ["b"] * 3
    assert found.left_out == (
        "“x.ics” was left out: it is a pipe",
        "“0.ics” was left out: it repeats more often than every hour",
    )


async def test_an_id_means_the_series_or_one_time():
    seen = reads(daily("a~b"))

    whole, one = await seen.event("a~b"), await seen.event("a~b~20260315T090000Z")

    assert whole is not None
    assert whole.repeats
    assert one is not None
    assert (one.start, one.entry) == ("2026-03-15T10:00+01:00", "a~b")
    for none in ("a", "a~b~20260315T100000Z", "a~b~soon", "~", "a~b~" + "2" * 50):
        assert await seen.event(none) is None


async def test_an_event_that_cannot_be_read_is_no_missing_event():
    with pytest.raises(ProviderError, match="cannot be read"):
        await reads(daily("a", "FREQ=SECONDLY")).event("a")


async def test_a_batch_sees_its_earlier_steps_and_refers_to_them():
    seen = reads(daily("a"), daily("b"))
    seen = seen.after(DeleteOccurrence("a", "m1", "20260315T090000Z", "0.ics", STAMP), ChangeRef(0, 0))
    seen = seen.after(UpdateEvent("a", "m2", title="A", place="0.ics", stamp=STAMP), ChangeRef(1, 0))
    seen = seen.after(DeleteEntry("b", "1.ics", "m3"), ChangeRef(2, 0))

    found = await seen.between(FIRST, LAST)

    assert [(event.title, event.start[:10]) for event in found.events] == [("A", "2026-03-14"), ("A", "2026-03-16")]
    assert await seen.event("b") is None
    assert seen.entry_fact("a", "x") == ResultRef("a", "calendar_entry", 0, 1)
    assert seen.entry_fact("c", "x") == EntryIs("c", "x")
    assert seen.free_fact("b") == ResultRef("b", "calendar_free", 0, 2)
    assert await seen.place("u", "Work", reminder=True) == "Work/u.VTODO"
