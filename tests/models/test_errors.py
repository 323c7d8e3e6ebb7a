"""Every reason why a model does not answer is one sentence that says what to do."""

import pytest
from msgspec.structs import replace
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelRateLimitError,
    ModelServerError,
)

from sayso.models.errors import describe_duration, fault, too_late
from sayso.models.vendors import ModelKey, ModelService, Patience, find_model

KEY = ModelKey("hidden-key", "the keyring")


async def key() -> ModelKey:
    return KEY


CLAUDE = ModelService(find_model("anthropic:claude-any"), "https://api.anthropic.com", key)
QWEN = ModelService(find_model("ollama:qwen3:4b"), "http://127.0.0.1:11434/v1", key)
OWN = ModelService(find_model("openai-compatible:any"), "http://box:8000", key)
CASES = (
    (CLAUDE, ModelAuthenticationError("m", "hidden-key"), "https://console.anthropic.com/settings/keys"),
    (CLAUDE, ModelNotFoundError("m", "hidden-key"), "sayso config set model.name anthropic:…"),
    (QWEN, ModelNotFoundError("m", "hidden-key"), "get it with: ollama pull qwen3:4b"),
    (OWN, ModelNotFoundError("m", "hidden-key"), "or [model] url (http://box:8000) is not where it listens"),
    (QWEN, ModelConnectionError("m", "hidden-key", phase="connect"), "start it with: ollama serve"),
    (OWN, ModelConnectionError("m", "hidden-key", phase="connect"), "the model server at box:8000 cannot be reached"),
    (CLAUDE, ModelContextWindowExceededError("m", "hidden-key"), "begin a new conversation"),
    (CLAUDE, ContentFilterError("hidden-key"), "its filter for content refused it"),
    (CLAUDE, ModelRateLimitError("m", "hidden-key", retry_after=30.2), "try again in 30 seconds"),
    (CLAUDE, ModelRateLimitError("m", "hidden-key", retry_after=0.2), "try again in 1 second"),
    (CLAUDE, ModelServerError("m", "x", provider_error_code="api_error"), "a fault of its own (api_error)"),
    (CLAUDE, ModelServerError("m", "x", provider_error_code="Hidden-Key 7"), "a fault of its own (the connection"),
    (CLAUDE, ModelHTTPError(418, "m", "hidden-key"), "Anthropic answered with 418 instead of a reply"),
    (CLAUDE, ModelAPIError("m", "hidden-key"), "what Anthropic answered is no reply of a model; try again"),
    (OWN, None, "is [model] url (http://box:8000) its address, with /v1 at the end"),
)


@pytest.mark.parametrize(("service", "wrong", "words"), CASES)
def test_the_sentence_says_what_to_do_and_holds_nothing_of_what_the_server_said(
    service: ModelService, wrong: Exception | None, words: str
):
    found = fault(wrong, service, KEY, begun=False)

    assert words in str(found.error)
    assert "hidden" not in str(found.error).lower()


@pytest.mark.parametrize("wrong", [case[1] for case in CASES if not isinstance(case[1], ContentFilterError)])
def test_a_reply_that_has_begun_broke_off_whatever_the_reason(wrong: Exception | None):
    found = fault(wrong, CLAUDE, KEY, begun=True)

    assert (found.error.code, found.again) == ("model.cut", False)


def test_without_a_key_the_server_wants_one():
    found = fault(ModelAuthenticationError("m", "x"), OWN, ModelKey("", ""), begun=False)

    assert str(found.error) == (
        "the model server at box:8000 wants a key, and none is set; give it one with: sayso config model"
    )


def test_why_a_host_is_not_reached_is_told_where_it_is_known():
    def why_not(wrong: BaseException, host: str) -> str:
        return f"there is no {host}"

    found = fault(ModelConnectionError("m", "x", phase="connect"), replace(OWN, why_not=why_not), KEY, begun=False)

    assert str(found.error) == "the model server at box:8000 cannot be reached: there is no box"


@pytest.mark.parametrize(
    ("seconds", "said"), [(1, "1 second"), (0.5, "0.5 seconds"), (90, "90 seconds"), (600, "10 minutes")]
)
def test_lengths_are_said_as_a_person_says_them(seconds: float, said: str):
    assert describe_duration(seconds) == said
    assert said in str(too_late(replace(CLAUDE, patience=Patience(whole=seconds))))
