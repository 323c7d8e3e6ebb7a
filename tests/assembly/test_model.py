"""The model that the settings name is opened, with those behind it, at the address that they give, with its own key."""

from pathlib import Path

import pytest

from sayso.assembly.model import context_chars, names_of, open_model, service_of
from sayso.config import Settings
from sayso.config.load import settings as settings_from
from sayso.config.places import places
from sayso.core.errors import SetupError
from sayso.core.model import Model
from sayso.runtime.ids import RandomIds
from sayso.testing.model_server import playing
from tests.models.asking import end_of, heard, problem_of, text_of

GIVEN = {"SAYSO_MODEL_PASSWORD": "given"}


def settings(text: str, scratch_home: object, **environ: str) -> Settings:
    """Return the settings that `[model]` with these lines means."""
    at = {"HOME": str(scratch_home), "SAYSO_HOME": f"{scratch_home}/s", "PATH": "/usr/bin:/bin", **environ}
    return settings_from(f"[model]\n{text}".encode(), places(at), at, {})


def opened(text: str, scratch_home: object, name: str | None = None, **environ: str) -> Model:
    """Return the model that they mean."""
    return open_model(settings(text, scratch_home, **environ), RandomIds(), name)


@pytest.mark.parametrize("vendor", ["openai", "openai-compatible", "anthropic", "ollama"])
async def test_a_model_is_asked_where_and_how_the_settings_say(vendor: str, scratch_home: object):
    with playing("hello") as server:
        url = server.root if vendor == "anthropic" else server.url
        model = opened(f'name = "{vendor}:any"\nurl = "{url}"', scratch_home, **GIVEN)

        came, problem = await heard(model)

    assert (text_of(came), end_of(came).model, problem) == ("hello", f"{vendor}:any", None)
    assert server.heard[0].headers["authorization"] == "Bearer given"


async def test_each_gets_its_own_address_and_key_alone(scratch_home: object):
    text = 'name = "openai:any"\nurl = "https://proxy.example/v1"\nfallback = ["ollama:any", "anthropic:any"]'
    found = settings(text, scratch_home, **GIVEN, ANTHROPIC_API_KEY="usual")

    services = [service_of(name, found, RandomIds(), "openai:any") for name in names_of(found)]

    assert [(service.url, (await service.key()).secret) for service in services] == [
        ("https://proxy.example/v1", "given"),
        ("http://127.0.0.1:11434/v1", ""),
        ("https://api.anthropic.com", "usual"),
    ]


async def test_where_one_cannot_begin_the_next_answers(scratch_home: object):
    text = 'name = "anthropic:any"\nfallback = ["openai-compatible:any"]\nurl = "{}"'
    with playing("hello") as server:
        model = opened(text.format(server.url), scratch_home)

        came, _ = await heard(model)

    assert (text_of(came), end_of(came).model) == ("hello", "openai-compatible:any")
    assert "there is no key for Anthropic" in end_of(came).instead[0]


async def test_a_model_that_is_asked_for_by_name_comes_before_the_fallback(scratch_home: object):
    with playing("hello") as server:
        text = f'name = "embedded"\nurl = "{server.url}"\nfallback = ["openai-compatible:two"]'

        came, _ = await heard(opened(text, scratch_home, "openai-compatible:one"))

    assert (text_of(came), end_of(came).model) == ("hello", "openai-compatible:one")


async def test_the_built_in_rules_need_no_address_and_no_key(scratch_home: object):
    came, _ = await heard(opened('name = "embedded"', scratch_home))

    assert end_of(came).model == "embedded"
    assert "not understood" in text_of(came) or "Nothing was said" in text_of(came)


async def test_the_address_is_for_the_vendor_that_the_settings_name(scratch_home: object):
    text = 'name = "openai-compatible:one"\nurl = "https://box.example/v1"'

    other = service_of("anthropic:x", settings(text, scratch_home), RandomIds(), "anthropic:x")

    assert other.url == "https://api.anthropic.com"


@pytest.mark.parametrize(
    ("vendor", "said", "url"),
    [
        ("ollama", "http://box:11434", "http://box:11434/v1"),
        ("ollama", "http://box:11434/", "http://box:11434/v1"),
        ("ollama", "http://box/o/v1/", "http://box/o/v1"),
        ("openai-compatible", "http://box:8000", "http://box:8000"),
        ("anthropic", "https://proxy.example/", "https://proxy.example"),
    ],
)
def test_an_address_is_as_the_client_needs_it(vendor: str, said: str, url: str, scratch_home: object):
    text = f'name = "{vendor}:any"\nurl = "{said}"'

    assert service_of(f"{vendor}:any", settings(text, scratch_home), RandomIds(), f"{vendor}:any").url == url


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "openai-compatible:any"', "needs the address of its server: sayso config set model.url"),
        ('name = "ollama:any"\nurl = "ftp://box"', "“ftp://box” is no address of a server"),
        ('name = "antropic:any"', "did you mean “anthropic:any”"),
        ('name = "embedded"\nfallback = ["nobody:any"]', "sayso knows no model called “nobody:any”"),
    ],
)
def test_what_means_nothing_is_a_sentence_before_anything_is_asked(text: str, words: str, scratch_home: object):
    with pytest.raises(SetupError, match="model") as told:
        opened(text, scratch_home)

    assert words in str(told.value)


async def test_limits_are_those_of_the_settings(scratch_home: object):
    text = (
        'name = "ollama:any"\ntimeout = "3m"\ntimeout_connect = "4s"\ntimeout_silent = "5s"\n[limits]\nreply_bytes = 99'
    )

    service = service_of("ollama:any", settings(text, scratch_home), RandomIds(), "ollama:any")

    patience = service.patience
    assert (patience.whole, patience.connect, patience.silent, service.reply_bytes) == (180, 4, 5, 99)


async def test_nothing_is_sent_without_a_key_where_one_is_needed(scratch_home: object):
    with playing("hello") as server:
        problem = await problem_of(opened(f'name = "openai:any"\nurl = "{server.url}"', scratch_home))

    assert (type(problem), problem.code, server.heard) == (SetupError, "model.key", [])
    assert "sayso config model" in str(problem)


async def test_without_settings_the_built_in_rules_answer_and_they_do_so_behind_a_model_that_cannot(
    scratch_home: object,
):
    alone, _ = await heard(opened("", scratch_home))
    behind, _ = await heard(opened('name = "anthropic:any"\nfallback = ["embedded"]', scratch_home))

    assert text_of(alone)
    assert text_of(behind) == text_of(alone)
    assert "there is no key for Anthropic" in end_of(behind).instead[0]


def test_each_is_asked_once_in_its_order(scratch_home: object):
    found = settings('name = "ollama:a"\nfallback = ["embedded", "ollama:a", "ollama:b"]', scratch_home)

    assert names_of(found) == ("ollama:a", "embedded", "ollama:b")
    assert names_of(found, "ollama:b") == ("ollama:b", "embedded", "ollama:a")


async def test_replies_in_a_file_are_a_model_that_needs_no_address_and_no_key(scratch_home: object, tmp_path: Path):
    file = tmp_path / "replies.json"
    file.write_text('["hello"]')

    model = opened(f'name = "replay:{file}"\nfallback = ["ollama:any"]', scratch_home)
    came, problem = await heard(model)

    assert (text_of(came), end_of(came).model, problem) == ("hello", f"replay:{file}", None)


@pytest.mark.parametrize(
    ("text", "name", "most"),
    [
        ("", None, 100_000),
        ("", "scripted", 100_000),
        ('name = "anthropic:any"', None, 100_000),
        ('name = "anthropic:any"\nfallback = ["ollama:any"]', None, 24_000),
        ('name = "anthropic:any"', "lmstudio:any", 24_000),
        ('name = "ollama:any"\ncontext_chars = 60000', None, 60_000),
    ],
)
def test_as_much_of_the_world_is_told_as_the_settings_say_or_the_narrowest_model_has_room_for(
    text: str, name: str | None, most: int, scratch_home: object
):
    assert context_chars(settings(text, scratch_home), name) == most
