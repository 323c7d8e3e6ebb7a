"""Models that speak chat completions do so at the address and with the key that they are given, and with no other."""

import pytest
from msgspec.structs import replace

from sayso.models.client import Hosted
from sayso.models.vendors import ModelKey
from sayso.testing.model_server import playing
from tests.models.asking import SECRET, heard, hosted, service, text_of

NAMES = ("openai:gpt-any", "ollama:qwen3", "openrouter:a/b", "mistral:any", "lmstudio:any", "openai-compatible:any")


async def no_key() -> ModelKey:
    return ModelKey("", "")


@pytest.mark.parametrize("name", NAMES)
async def test_neither_address_nor_key_comes_from_the_environment(name: str, monkeypatch: pytest.MonkeyPatch):
    with playing("here") as server, playing("there") as other:
        for vendor in ("OPENAI", "OLLAMA"):
            monkeypatch.setenv(f"{vendor}_BASE_URL", other.url)
            monkeypatch.setenv(f"{vendor}_API_KEY", "another")

        came, problem = await heard(hosted(server, name))

    assert (text_of(came), problem, other.heard) == ("here", None, [])
    assert server.heard[0].headers["authorization"] == f"Bearer {SECRET}"
    assert server.heard[0].path == "/v1/chat/completions"
    assert server.heard[0].body["model"] == name.partition(":")[2]


@pytest.mark.parametrize("name", ["ollama:qwen3", "openai-compatible:any"])
async def test_where_no_key_is_needed_none_of_the_environment_is_sent(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    monkeypatch.setenv("OLLAMA_API_KEY", "another")
    with playing("here") as server:
        came, _ = await heard(Hosted(replace(service(server, name), key=no_key)))

    assert text_of(came) == "here"
    assert "another" not in str(server.heard[0].headers)
