"""A name of the settings means one model of one vendor, or is a sentence that says what names there are."""

import pytest

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.models.vendors import OTHER_NAMES, VENDORS, ModelKey, ModelService, find_model


@pytest.mark.parametrize(
    ("name", "vendor", "model"),
    [
        ("anthropic:claude-any", "anthropic", "claude-any"),
        ("ollama:qwen3:4b", "ollama", "qwen3:4b"),
        ("openrouter:a/b:free", "openrouter", "a/b:free"),
        (" openai:gpt-any ", "openai", "gpt-any"),
        ("google:gemini-any", "gemini", "gemini-any"),
        ("openai-compatible:any", "openai-compatible", "any"),
        ("openai-compatible", "openai-compatible", "default"),
    ],
)
def test_a_name_is_a_vendor_and_a_model(name: str, vendor: str, model: str):
    found = find_model(name)

    assert (found.vendor.name, found.model, found.full) == (vendor, model, f"{vendor}:{model}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude-any", "there are: embedded, anthropic:…, openai:…"),
        ("antropic:claude-any", "did you mean “anthropic:claude-any”?"),
        ("embeded", "did you mean “embedded”?"),
        ("anthropic", "write it behind a colon: anthropic:…"),
        ("openai:", "write it behind a colon: openai:…"),
        ("", "sayso knows no model called “”"),
    ],
)
def test_another_name_is_a_sentence(name: str, words: str):
    with pytest.raises(SetupError, match="model") as told:
        find_model(name)

    assert words in str(told.value)


def test_other_names_are_for_vendors_that_there_are():
    assert set(OTHER_NAMES.values()) <= {vendor.name for vendor in VENDORS}


def test_every_vendor_can_be_made_and_who_needs_a_key_says_where_it_usually_stands():
    for vendor in VENDORS:
        assert callable(load(vendor.api.model))
        assert callable(load(vendor.api.provider))
        assert bool(vendor.variables) >= vendor.needs_key


def test_addresses_are_those_that_the_client_library_has():
    places = {
        vendor.name: vendor.api.provider for vendor in VENDORS if vendor.name in {"anthropic", "openai", "gemini"}
    }
    places["openrouter"] = "pydantic_ai.providers.openrouter:OpenRouterProvider"
    theirs = {name: load(place)(api_key="k").base_url for name, place in places.items()}

    ours = {vendor.name: vendor.url for vendor in VENDORS if vendor.name in theirs}
    assert ours == {name: url.rstrip("/") for name, url in theirs.items()}


async def key() -> ModelKey:
    return ModelKey("hidden", "the environment")


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
    assert ModelService(find_model(name), url, key).said == said


async def test_a_key_is_not_printed():
    found = await key()

    shown = "ModelKey('the environment')"
    assert (f"{found}", f"{found!r}", found.secret) == (shown, shown, "hidden")
