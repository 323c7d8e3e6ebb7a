"""A home is what an entry point needs."""

from pathlib import Path

from sayso.assistant.host import Desk
from tests.assistant.homes import a_home


async def test_a_home_has_all_that_a_desk_has(tmp_path: Path):
    async with a_home(tmp_path) as home:
        desk: Desk = home

        assert [name for name in vars(Desk) if not name.startswith("_") and not hasattr(desk, name)] == []
