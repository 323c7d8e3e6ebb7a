"""The real clock tells UTC, and its seconds never run backwards."""

from datetime import UTC, timedelta

from sayso.runtime.system import RandomIds, SystemClock


def test_the_time_has_its_zone() -> None:
    clock = SystemClock()

    first, second = clock.now(), clock.now()

    assert first.tzinfo is UTC
    assert timedelta(0) <= second - first < timedelta(minutes=1)
    assert clock.monotonic() <= clock.monotonic()


def test_keys_grow_and_fit_the_journal() -> None:
    ids = RandomIds()

    keys = [ids.key() for _ in range(5000)]

    assert keys == sorted(set(keys))
    assert 0 < keys[-1] < 2**63


def test_keys_of_different_processes_are_in_the_order_of_time_and_differ() -> None:
    keys = [RandomIds().key() for _ in range(100)]

    assert len(set(keys)) == 100
    assert abs(keys[-1] - keys[0]) >> 22 < 60_000


def test_tokens_are_long_and_plain() -> None:
    tokens = {RandomIds().token() for _ in range(1000)}

    assert len(tokens) == 1000
    assert all(len(token) == 20 and token.isalnum() and token.islower() | token.isdigit() for token in tokens)
