"""What a test of own actions begins with: a clock that stands still, and a real home with a folder for actions."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.testing.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    """Return the clock of the home."""
    return FakeClock()


@pytest.fixture
async def empty_home(tmp_path: Path, clock: FakeClock) -> AsyncGenerator[Home]:
    """Open a home without settings, in which no action is written yet."""
    own = tmp_path / "own"
    (own / "actions").mkdir(parents=True)
    (own / "config.toml").write_text("")
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}, clock=clock) as opened:
        yield opened
