"""The real clock and the real source of ids; everything else takes them as arguments."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.fromtimestamp(time.time(), UTC)

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return time.monotonic()


EPOCH_MS = 1_704_067_200_000
"""Keys count milliseconds from 1 January 2024, so that 41 bits last until 2093."""
RANDOM_BITS = 22
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class RandomIds:
    """Makes ids from the clock and the system's source of randomness."""

    def __init__(self, newest: Callable[[], int] = lambda: 0) -> None:
        """`newest` returns the largest key that the journal holds, so that keys keep its order if the clock is late."""
        self._last = 0
        self._newest = newest

    def key(self) -> int:
        """Return milliseconds and random bits in 63 bits, larger than the key before and those in the journal."""
        passed = time.time_ns() // 1_000_000 - EPOCH_MS
        key = (passed << RANDOM_BITS) | int.from_bytes(os.urandom(4)) >> (32 - RANDOM_BITS)
        self._last = max(key, self._last + 1, self._newest() + 1)
        return self._last

    def token(self) -> str:
        """Return 20 characters that nobody can guess (100 bits)."""
        return "".join(_ALPHABET[byte & 31] for byte in os.urandom(20))
