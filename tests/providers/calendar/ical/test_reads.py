"""The reads show what is there, what a batch will make, and which texts they had to leave out."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import AsLeft, Ref
from sayso.providers.calendar.facts import EntryIs
from sayso.providers.calendar.ical.reads import Reads
from sayso.providers.calendar.ical.resource import Held, Resource, holds_uid
from sayso.providers.calendar.steps import DeleteEntry, DeleteOccurrence, UpdateEvent
from sayso.testing.fakes import FakeClock, NumberedIds

BERLIN = ZoneInfo("Europe/Berlin")
FIRST, LAST = datetime(2026, 3, 14, tzinfo=BERLIN), datetime(2026, 3, 17, tzinfo=BERLIN)
STAMP = "2026-03-14T13:00+01:00"


def daily(uid: str, rule: str = "FREQ=DAILY") -> str:
    lines = (
        f"UID:{uid}\nDTSTAMP:20260101T000000Z\nSUMMARY:{uid}\nDTSTART:20260310T090000Z\nDURATION:PT1H\nRRULE:{rule}\n"
    )
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\n{lines}END:VEVENT\nEND:VCALENDAR\n"


class Shelf:
    """Texts in memory."""

    def __init__(self, *texts: str) -> None:
        self._kept = [Resource(f"{number}.ics", text, f"e{number}") for number, text in enumerate(texts)]

    async def held(self, kind: str, first: str, last: str) -> Held:
        return Held(tuple(self._kept), ("“x.ics” was left out: it is a pipe",))

    async def resource(self, uid: str) -> Resource | None:
        return next((one for one in self._kept if holds_uid(one.text, uid)), None)

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        return f"{calendar}/{uid}.{kind}"

    def calendar_of(self, place: str) -> str:
        return place.rpartition("/")[0]


def reads(*texts: str) -> Reads:
    return Reads(Shelf(*texts), FakeClock(), NumberedIds(), BERLIN)


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
    seen = seen.after(DeleteOccurrence("a", "m1", "20260315T090000Z", "0.ics", STAMP), Ref(0, 0))
    seen = seen.after(UpdateEvent("a", "m2", title="A", place="0.ics", stamp=STAMP), Ref(1, 0))
    seen = seen.after(DeleteEntry("b", "1.ics", "m3"), Ref(2, 0))

    found = await seen.between(FIRST, LAST)

    assert [(event.title, event.start[:10]) for event in found.events] == [("A", "2026-03-14"), ("A", "2026-03-16")]
    assert await seen.event("b") is None
    assert seen.entry_fact("a", "x") == AsLeft("a", "calendar_entry", 0, 1)
    assert seen.entry_fact("c", "x") == EntryIs("c", "x")
    assert seen.free_fact("b") == AsLeft("b", "calendar_free", 0, 2)
    assert await seen.place("u", "Work", reminder=True) == "Work/u.VTODO"
