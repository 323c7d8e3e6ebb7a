"""Each client library speaks at the address and with the key that it is given, and says what every other says."""

import pytest
from msgspec.structs import replace

from sayso.core.conversation import ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import SetupError
from sayso.models.client import Hosted
from sayso.models.vendors import ModelKey
from sayso.testing.fakes import make_call
from sayso.testing.model_server import CutOff, Status, playing
from tests.models.asking import READ, SECRET, calls_of, end_of, heard, hosted, problem_of, service, text_of, wish

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


async def test_anthropics_library_takes_neither_address_nor_key_from_the_environment(monkeypatch: pytest.MonkeyPatch):
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


GEMINI = "gemini:gemini-any"


async def test_text_and_calls_come_as_from_every_other():
    call = make_call("file_read", path="a")
    with playing([ReplyText("Hello, you there"), call, ReplyEnd("", "tools", None, 3)], size=6) as server:
        came, problem = await heard(hosted(server, GEMINI), wish(tools=(READ,)))

    assert [chunk for chunk in came if isinstance(chunk, ReplyText)] == [
        ReplyText("Hello,"),
        ReplyText(" you t"),
        ReplyText("here"),
    ]
    assert [(one.name, one.arguments) for one in calls_of(came)] == [("file_read", '{"path": "a"}')]
    assert (end_of(came).model, end_of(came).tokens_out, problem) == (GEMINI, 3, None)
    assert server.heard[0].path.startswith("/v1beta/models/gemini-any:streamGenerateContent")
    assert "Be brief." in str(server.heard[0].body["systemInstruction"])


@pytest.mark.parametrize(("reason", "calls"), [("refused", 0), ("length", 1)])
async def test_its_reasons_to_end_are_understood(reason: str, calls: int):
    with playing(
        [make_call("file_read", path="a"), ReplyEnd("", "refused" if reason == "refused" else "length")]
    ) as server:
        came, _ = await heard(hosted(server, GEMINI), wish(tools=(READ,)))

    assert (end_of(came).reason, len(calls_of(came))) == (reason, calls)


async def test_a_wrong_key_and_a_cut_are_sentences():
    with playing(Status(403), [ReplyText("half"), ToolCall("1", "file_read", "{}"), CutOff()]) as server:
        wrong = await problem_of(hosted(server, GEMINI))
        came, cut = await heard(hosted(server, GEMINI))

    assert (type(wrong), wrong.code) == (SetupError, "model.key")
    assert (text_of(came), calls_of(came), cut and cut.code) == ("half", [], "model.cut")


async def test_what_may_pass_is_asked_for_again_by_us_alone():
    with playing(Status(503), "now") as server:
        came, _ = await heard(hosted(server, GEMINI))

    assert (text_of(came), len(server.heard)) == ("now", 2)
