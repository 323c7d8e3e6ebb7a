"""The machine's clock; everything else is given one and could be given another."""

import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.fromtimestamp(time.time(), UTC)

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return time.monotonic()
