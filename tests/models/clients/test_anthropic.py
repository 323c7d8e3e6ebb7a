"""A model of Anthropic's speaks at the address and with the key that it is given, whatever the environment says."""

import pytest

from sayso.testing.model_server import playing
from tests.models.asking import SECRET, heard, hosted, text_of


async def test_neither_address_nor_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    with playing("here") as server, playing("there") as other:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", other.root)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a-third")

        came, _ = await heard(hosted(server, "anthropic:claude-any"))

    headers = str(server.heard[0].headers)
    assert (text_of(came), other.heard) == ("here", [])
    assert SECRET in headers
    assert "another" not in headers
    assert "a-third" not in headers
    assert server.heard[0].path == "/v1/messages"
