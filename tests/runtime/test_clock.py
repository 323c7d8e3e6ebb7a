"""The real clock tells UTC, and its seconds never run backwards."""

from datetime import UTC, timedelta

from sayso.runtime.clock import SystemClock


def test_the_time_has_its_zone() -> None:
    clock = SystemClock()

    first, second = clock.now(), clock.now()

    assert first.tzinfo is UTC
    assert timedelta(0) <= second - first < timedelta(minutes=1)
    assert clock.monotonic() <= clock.monotonic()
