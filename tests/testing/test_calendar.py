"""The suite for calendars finds a backend that does not keep the rules."""

import pytest

from sayso.core.datetimes import LocalZone
from sayso.core.memory_backend import MemoryBackend, MemoryRules
from sayso.core.ports import Backend
from sayso.providers.calendar.memory import CalendarWorld, MemoryCalendar, do_step
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, NumberedIds


class Suite(CalendarSuite):
    """The suite on a calendar that looks at no ETag."""

    def make(self) -> Backend:
        clock, ids = FakeClock(), NumberedIds()
        laws = MemoryRules(
            does=do_step,
            holds=lambda world, fact: True,
            reads=lambda seen: MemoryCalendar(seen, clock, ids, LocalZone()),
        )
        return MemoryBackend(CalendarWorld(), laws, lasting=True)


async def test_a_calendar_that_writes_over_what_changed_is_found():
    with pytest.raises(AssertionError, match="should have been refused"):
        await Suite().test_an_event_changed_since_is_not_touched()
    with pytest.raises(AssertionError, match="should have been refused"):
        await Suite().test_a_uid_that_is_taken_is_never_written_over()
