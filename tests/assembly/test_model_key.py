"""The key of a model comes from what is set, the keyring, or its vendor's usual variable, and goes to it alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.assembly.model_key import KeyOf, entry_of, is_here
from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.models.vendors import named
from sayso.providers.accounts.keyring import keyring_of
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock
from tests.mail_env.keyrings import SecretService, secret_service, without_session

CLAUDE, OLLAMA, OWN = (named(name).vendor for name in ("anthropic:c", "ollama:q", "openai-compatible:x"))
GNOME = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")


@pytest.fixture(scope="module")
def service() -> Iterator[SecretService]:
    """Give a keyring that ends with the tests of this file."""
    with secret_service() as there:
        yield there


def ground(environ: dict[str, str], **settings: Json) -> Ground:
    environ = without_session(**environ)
    return Ground(settings, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ)


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
