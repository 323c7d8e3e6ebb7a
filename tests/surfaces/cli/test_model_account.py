"""A person sets a model up at a terminal, with a server that answers and a real keyring; what is wrong is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.testing.model_server import Status, playing
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered
from tests.surfaces.cli.person import Screen, sayso

pytestmark = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")
HEAD, RIGHT, WRONG = "Which model", "r1ght-k3y", "wr0ng-k3y"


@pytest.fixture
def config(written: Callable[[str], Path]) -> Path:
    """Return the file of settings, with a comment in it."""
    return written('[model] # mine\ntimeout = "5m"\n')


@pytest.fixture
def desk(sit: Sit, with_keyring: None, config: Path) -> Callable[..., Screen]:
    """Return what starts the setting up in a session with a keyring."""
    return lambda *words: sit("config", "model", *words, columns=240)


@pytest.mark.req("AU-04")
def test_a_model_is_tried_shown_and_written_its_key_kept_and_all_of_it_taken_out_again(
    desk: Callable[..., Screen], config: Path
):
    before = config.read_text()
    with playing(Status(401), "ready") as server:
        screen = desk()
        answered(screen, (HEAD, "antropic:x"), (HEAD, "openai-compatible:any"), ("Address of its server", server.url))
        answered(screen, ("Does it want a key?", "y"), ("Which [", "1"), ("Key (not shown", WRONG), ("p: the key", "p"))
        answered(screen, ("Does it want a key?", "y"), ("Which [", "1"), ("Key (not shown", RIGHT))
        shown = screen.see("Write this?")
        assert config.read_text() == before
        screen.type("y\n")
        assert screen.end() == 0

        found = sayso("doctor", "--json").document["findings"]
        gone = desk("--remove")
        answered(gone, ("Remove this?", "y"))
        assert gone.end() == 0

    assert "did you mean “anthropic:x”" in shown
    assert "does not accept the key from what you gave" in shown
    assert "✓ it answers" in shown
    assert "The key goes into your keyring, as “sayso model 127.0.0.1:" in shown
    assert not any(word.encode() in screen.raw for word in (RIGHT, WRONG))
    assert [one.headers["authorization"] for one in server.heard] == [f"Bearer {WRONG}", f"Bearer {RIGHT}"]
    says = next(one["says"] for one in found if one["about"] == "model")
    assert says.startswith("openai-compatible:any at 127.0.0.1:")
    assert "with the key from the keyring" in says
    assert config.read_text() == before


def test_an_address_without_its_beginning_is_asked_for_again_and_the_model_is_not(desk: Callable[..., Screen]):
    screen = desk()
    answered(screen, (HEAD, "openai-compatible:any"), ("Address of its server", "127.0.0.1:8000/v1"))
    shown = screen.see("with http:// or https:// in front")
    answered(screen, ("Address of its server", "http://127.0.0.1:9/v1"))

    screen.see("Does it want a key?")
    assert shown.count(HEAD) == 1


@pytest.mark.thorough
def test_a_model_on_this_computer_needs_no_key_and_embedded_is_no_model_to_set(
    desk: Callable[..., Screen], config: Path
):
    with playing("ready") as server:
        screen = desk()
        answered(screen, (HEAD, "embedded"), (HEAD, "ollama:qwen3"), ("Address of its server", server.root))
        answered(screen, ("Does it want a key?", ""), ("Write this?", "y"))

        assert screen.end() == 0

    assert 'name = "ollama:qwen3"' in config.read_text()
    assert server.heard[0].path == "/v1/chat/completions"


@pytest.mark.thorough
def test_what_is_left_or_declined_changes_nothing(desk: Callable[..., Screen], config: Path):
    before = config.read_text()
    with playing(Status(404), "ready") as server:
        screen = desk()
        answered(screen, (HEAD, "ollama:qwen3"), ("Address of its server", server.url), ("Does it want a key?", "n"))
        answered(screen, ("p: the key again", "s"), (HEAD, ""), ("Address of its server", ""))
        answered(screen, ("Does it want a key?", ""), ("Write this?", ""))
        code = screen.end()

    assert code == 3
    assert "ollama pull qwen3" in screen.text
    assert config.read_text() == before


def test_a_key_that_stands_in_the_environment_is_offered(
    desk: Callable[..., Screen], config: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", RIGHT)
    screen = desk()
    answered(screen, (HEAD, "anthropic:claude-any"))
    shown = screen.see("Use the key that ANTHROPIC_API_KEY holds here?")
    screen.type("\x03")

    assert screen.end() == 3
    assert "Keys are made at" not in shown
    assert RIGHT.encode() not in screen.raw
