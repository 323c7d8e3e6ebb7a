"""Dates are read in every form they may be written in, and in no other."""

import time
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.datetimes import LocalZone, Moment, read_when
from sayso.core.errors import ProposalError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.req("S0-57", "T-46")
@pytest.mark.parametrize(
    ("text", "in_utc"),
    [
        ("2024-01-28 14:00", "2024-01-28T13:00:00+00:00"),
        ("2024-07-28 14:00", "2024-07-28T12:00:00+00:00"),
        ("2024-01-28", "2024-01-27T23:00:00+00:00"),
        ("2024-01-28T14:00", "2024-01-28T13:00:00+00:00"),
        ("2024-01-28T14:00:30", "2024-01-28T13:00:30+00:00"),
        ("2024-01-28T14:00:30.25", "2024-01-28T13:00:30.250000+00:00"),
        ("2024-01-28T14:00Z", "2024-01-28T14:00:00+00:00"),
        ("2024-01-28T14:00+05:30", "2024-01-28T08:30:00+00:00"),
        ("2024-01-28 14:00 -0800", "2024-01-28T22:00:00+00:00"),
        ("2024-01-28T14:00-08", "2024-01-28T22:00:00+00:00"),
        ("20240128T140000Z", "2024-01-28T14:00:00+00:00"),
        ("2024-02-29 00:00", "2024-02-28T23:00:00+00:00"),
        ("2026-10-25 02:30", "2026-10-25T00:30:00+00:00"),
    ],
)
def test_each_form_means_one_moment(text: str, in_utc: str):
    assert read_when(text).at(BERLIN).astimezone(UTC).isoformat() == in_utc


@pytest.mark.req("S0-57", "T-46")
@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30 10:00", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-28 24:00", "2024-01-28 10:60",
        "2024-01-28 10:00:60", "2024-01-28T10:00+25:00", "2024-01-28T10:00+01:60", "0000-01-01", "tomorrow",
        "28.01.2024", "01/28/2024", "2024-1-28", "2024-01-28 9:00", "2024-01-28 14", "2024-01-28x14:00", "", "14:00",
        "2024-01-28 14:00 CET", "२०२४-०१-२८", "2024-01-28Z", "2024-W05-1",
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused_with_the_forms_to_write(text: str):
    with pytest.raises(ProposalError, match="YYYY-MM-DD HH:MM") as refused:
        read_when(text)

    assert refused.value.code == "arguments.date"


def test_a_time_that_no_clock_shows_is_refused():
    with pytest.raises(ProposalError, match="the clocks skip it when they go forward") as refused:
        read_when("2026-03-29 02:30").at(BERLIN)

    assert refused.value.code == "arguments.date"


def test_only_a_day_is_all_day_and_begins_at_its_first_moment_where_midnight_is_left_out():
    begins = read_when("2018-11-04").at(ZoneInfo("America/Sao_Paulo"))

    assert begins.isoformat() == "2018-11-04T01:00:00-02:00"
    assert read_when("2024-01-28") == Moment(date(2024, 1, 28))
    assert (read_when("2024-01-28").all_day, read_when("2024-01-28 00:00").all_day) == (True, False)


@pytest.mark.parametrize("text", ["0001-01-01 00:00", "9999-12-31T23:59-10:00"])
def test_a_moment_beyond_the_calendar_is_refused(text: str):
    with pytest.raises(ProposalError, match="beyond"):
        read_when(text).at(timezone(timedelta(hours=14)))


@given(st.integers(min_value=-2_000_000_000_000, max_value=6_000_000_000_000))
def test_what_is_written_in_iso_form_is_read_back(millis: int):
    moment = (EPOCH + timedelta(milliseconds=millis)).replace(tzinfo=None)

    assert read_when(moment.isoformat()).at(UTC) == moment.replace(tzinfo=UTC)
    assert read_when(f"{moment:%Y-%m-%d %H:%M}").at(UTC) == moment.replace(second=0, microsecond=0, tzinfo=UTC)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str):
    with suppress(ProposalError):
        assert isinstance(read_when(text).day, date)


@given(st.integers(min_value=10**8, max_value=2 * 10**9))
def test_the_computers_own_zone_is_the_one_it_shows(seconds: int):
    moment = EPOCH + timedelta(seconds=seconds)

    there = moment.astimezone(LocalZone())

    assert there.replace(tzinfo=None) == moment.astimezone().replace(tzinfo=None)
    assert there.utcoffset() == moment.astimezone().utcoffset()
    assert there.astimezone(UTC) == moment


@pytest.mark.req("T-46")
@pytest.mark.parametrize("text", ["2026-10-25T02:10+02:00", "2026-10-25T02:10+01:00"])
def test_both_of_a_time_that_comes_twice_are_kept_in_the_computers_own_zone(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        when = read_when(text).at(LocalZone())

        assert when.isoformat() == datetime.fromisoformat(text).isoformat()
        assert when.astimezone(UTC) == datetime.fromisoformat(text)
    finally:
        monkeypatch.undo()
        time.tzset()
