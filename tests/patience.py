"""How long a test waits for an event before it takes it for a hang.

Such a limit is no measure of speed: it is far beyond what a busy machine needs, and `SAYSO_TEST_PATIENCE` (a factor,
1 by default) stretches all of them at once.
"""

import os

FACTOR = float(os.environ.get("SAYSO_TEST_PATIENCE", "1"))


def patience(seconds: float = 60.0) -> float:
    """Return the limit of one wait, in seconds."""
    return seconds * FACTOR
