"""The model that the settings name is opened, with those behind it, at the address that they give, with its own key."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.assembly.model import KeyOf, context_chars, entry_of, names_of, open_model, service_of
from sayso.config import Settings
from sayso.config.load import settings as settings_from
from sayso.config.paths import places
from sayso.core.conversation import Model
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.models.vendors import find_model, is_here
from sayso.providers.accounts.keyring import keyring_of
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.model_server import playing
from tests.mail_env.keyrings import SecretService, secret_service, without_session
from tests.models.asking import end_of, heard, problem_of, text_of

CLAUDE, OLLAMA, OWN = (find_model(name).vendor for name in ("anthropic:c", "ollama:q", "openai-compatible:x"))
GNOME = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")


@pytest.fixture(scope="module")
def service() -> Iterator[SecretService]:
    """Give a keyring that ends with the tests of this file."""
    with secret_service() as there:
        yield there


def ground(environ: dict[str, str], **settings: Json) -> BackendContext:
    environ = without_session(**environ)
    return BackendContext(settings, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ)


@GNOME
async def test_each_source_comes_before_the_next(service: SecretService):
    usual = {**service.environ, "ANTHROPIC_API_KEY": "usual"}
    given = {**usual, "SAYSO_MODEL_PASSWORD": "given"}
    printing: list[Json] = ["printf", "printed\\nmore"]
    sources = [ground(given, password_command=printing), ground(usual, password_command=printing), ground(usual)]

    before = [await KeyOf(sources[2], CLAUDE, CLAUDE.url, chosen=True)()]
    await keyring_of(ground(service.environ)).keep(entry_of(CLAUDE, CLAUDE.url), "kept")
    keys = [await KeyOf(source, CLAUDE, CLAUDE.url, chosen=True)() for source in sources]

    assert [key.secret for key in (*keys, *before)] == ["given", "printed", "kept", "usual"]
    assert [key.where for key in keys[:2]] == ["SAYSO_MODEL_PASSWORD", "password_command (printf)"]
    assert "keyring" in keys[2].where
    assert before[0].where == "ANTHROPIC_API_KEY"


async def test_what_is_set_for_one_vendor_is_told_to_no_other():
    on = ground({"SAYSO_MODEL_PASSWORD": "given", "ANTHROPIC_API_KEY": "usual"}, password_command=["printf", "printed"])

    key = await KeyOf(on, CLAUDE, CLAUDE.url, chosen=False)()

    assert [key.secret, key.where] == ["usual", "ANTHROPIC_API_KEY"]


async def test_the_usual_variable_is_for_the_vendors_own_address():
    on = ground({"ANTHROPIC_API_KEY": "usual"})

    with pytest.raises(SetupError, match="or set SAYSO_MODEL_PASSWORD") as none:
        await KeyOf(on, CLAUDE, "https://proxy.example", chosen=True)()

    assert "usual" not in str(none.value)


async def test_without_any_every_way_is_named():
    with pytest.raises(SetupError, match="there is no key for Anthropic") as none:
        await KeyOf(ground({}), CLAUDE, CLAUDE.url, chosen=True)()

    assert none.value.code == "model.key"
    for words in ("sayso config model", "ANTHROPIC_API_KEY", "https://console.anthropic.com/settings/keys"):
        assert words in str(none.value)


async def test_where_no_key_is_needed_there_may_be_none():
    keys = [
        await KeyOf(ground({}), vendor, url, chosen=True)() for vendor, url in ((OLLAMA, OLLAMA.url), (OWN, "http://b"))
    ]

    assert [key.secret for key in keys] == ["", ""]


@pytest.mark.parametrize("host", ["127.0.0.1:9", "[::1]:9", "localhost:9", "box.localhost"])
async def test_a_key_is_told_without_encryption_to_this_computer(host: str):
    key = await KeyOf(ground({"SAYSO_MODEL_PASSWORD": "given"}), OWN, f"http://{host}/v1", chosen=True)()

    assert key.where == "SAYSO_MODEL_PASSWORD"


@pytest.mark.parametrize("host", ["10.0.0.1:9", "box", "127.0.0.1.example.org", "localhost.example.org"])
async def test_and_to_no_other(host: str):
    with pytest.raises(SetupError, match=f"write https://{host}") as plain:
        await KeyOf(ground({"SAYSO_MODEL_PASSWORD": "given"}), OWN, f"http://{host}/v1", chosen=True)()

    assert plain.value.code == "model.plain"
    assert "given" not in str(plain.value)


async def test_it_is_asked_for_once(tmp_path: Path):
    counter = f"echo x >> {tmp_path}/asked; echo printed"
    key = KeyOf(
        ground({"PATH": "/usr/bin:/bin"}, password_command=["sh", "-c", counter]), OWN, "http://localhost", chosen=True
    )

    assert [(await key()).secret for _ in range(2)] == ["printed", "printed"]
    assert (tmp_path / "asked").read_text() == "x\n"


@pytest.mark.parametrize("odd", ["two words", "ünlaut", "a\nb", "a\x07b"])
async def test_what_is_no_key_is_not_sent(odd: str):
    with pytest.raises(SetupError, match="the key from SAYSO_MODEL_PASSWORD has characters") as told:
        await KeyOf(ground({"SAYSO_MODEL_PASSWORD": odd}), OWN, "http://localhost", chosen=True)()

    assert odd not in str(told.value)


async def test_space_around_a_key_is_none_of_it():
    key = await KeyOf(ground({"SAYSO_MODEL_PASSWORD": " given\n"}), OWN, "http://localhost", chosen=True)()

    assert [key.secret] == ["given"]


def test_this_computer_is_known_by_name_and_number():
    assert [is_here(host) for host in ("localhost", "127.1.2.3", "::1", "10.0.0.1", "example.org")] == [
        True,
        True,
        True,
        False,
        False,
    ]


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
    assert "nothing was done" in text_of(came)


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
