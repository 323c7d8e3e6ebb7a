"""A service says where a model is, and nothing that is printed of it holds the key."""

import pytest

from sayso.models.service import Key, Service
from sayso.models.vendors import named


async def key() -> Key:
    return Key("hidden", "the environment")


@pytest.mark.parametrize(
    ("name", "url", "said"),
    [
        ("anthropic:c", "https://api.anthropic.com", "Anthropic"),
        ("anthropic:c", "https://proxy.example.org/a", "Anthropic at proxy.example.org"),
        ("ollama:q", "http://127.0.0.1:11434/v1", "Ollama"),
        ("openai-compatible:q", "http://10.0.0.7:8000/v1", "the model server at 10.0.0.7:8000"),
        ("openai-compatible:q", "http://ana:word@box:8000/v1", "the model server at box:8000"),
    ],
)
def test_it_is_called_as_a_person_calls_it(name: str, url: str, said: str):
    assert Service(named(name), url, key).said == said


async def test_a_key_is_not_printed():
    found = await key()

    assert (f"{found}", f"{found!r}", found.secret) == ("Key('the environment')", "Key('the environment')", "hidden")
