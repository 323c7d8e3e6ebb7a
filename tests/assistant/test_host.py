"""A home is what an entry point needs."""

from pathlib import Path

from sayso.assistant.port import AssistantPort
from tests.assistant.homes import a_home


async def test_a_home_offers_everything_the_assistant_needs(tmp_path: Path):
    async with a_home(tmp_path) as home:
        port: AssistantPort = home

        assert [name for name in vars(AssistantPort) if not name.startswith("_") and not hasattr(port, name)] == []
