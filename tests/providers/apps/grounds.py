"""What a backend of applications is built on in a test."""

from pathlib import Path

from sayso.core.canonical import Json
from sayso.core.ports import Ground
from sayso.testing.fakes import FakeClock, NumberedIds


def ground(home: Path, **settings: Json) -> Ground:
    """Return it, without any folder that file actions may reach."""
    return Ground(settings, str(home), str(home / ".sayso"), (), FakeClock(), NumberedIds())
