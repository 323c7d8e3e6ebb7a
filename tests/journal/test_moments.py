"""Times come back as they were written, and are numbers where that is possible."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError
from sayso.journal import moments

TIMES = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive


@given(TIMES)
def test_times_in_milliseconds_and_microseconds_are_stored_as_numbers(time: datetime):
    text = time.isoformat(timespec="microseconds" if time.microsecond % 1000 else "milliseconds")[:-6] + "Z"

    stored = moments.kept(text)

    assert stored == (time - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)
    assert moments.written(stored) == text


@given(st.text() | TIMES.map(datetime.isoformat))
def test_any_text_comes_back_as_it_was(text: str):
    assert moments.written(moments.kept(text)) == text


def test_no_time_is_no_time():
    assert moments.kept(None) is None
    assert moments.written(None) is None


def test_a_time_without_a_zone_is_in_utc():
    assert moments.asked("1970-01-02") == moments.asked("1970-01-02T01:00:00+01:00") == 86_400_000_000


def test_what_is_no_time_is_refused():
    with pytest.raises(ProposalError, match="“soon” is no time"):
        moments.asked("soon")
