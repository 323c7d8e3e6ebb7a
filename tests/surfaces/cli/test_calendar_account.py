"""A person sets their calendar up at a terminal, with a real server and a real keyring; what is wrong is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.desktop_env.ports import free_port
from tests.desktop_env.radicale import PASSWORD, USER, Radicale
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered, by_password, by_program
from tests.surfaces.cli.person import Screen, sayso

pytestmark = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")
HEAD, WRONG = "Your address there", "wr0ng-w0rd"
TODAY = "CALENDAR_TODAY\n"


@pytest.fixture
def config(written: Callable[[str], Path]) -> Path:
    """Return the file of settings, with a comment in it."""
    return written('[calendar] # mine\ntimezone = "Europe/Berlin"\n')


@pytest.fixture
def desk(sit: Sit, with_keyring: None, config: Path) -> Callable[..., Screen]:
    """Return what starts the setting up in a session with a keyring."""
    return lambda *words: sit("config", "calendar", *words, columns=240)


@pytest.fixture
def server(radicale: Radicale) -> Radicale:
    """Return a server with two calendars."""
    radicale.clear()
    radicale.calendar("home", "Home")
    radicale.calendar("work", "Büro")
    return radicale


@pytest.mark.req("AU-04")
def test_a_calendar_is_tried_chosen_shown_and_written_and_works(
    desk: Callable[..., Screen], server: Radicale, config: Path
):
    before = config.read_text()
    screen = desk()
    answered(screen, (HEAD, server.url), ("Your user name", USER), *by_password(WRONG), ("p: the password", "p"))
    answered(screen, ("Your user name", USER), *by_password(PASSWORD), ("Which", "2"))
    shown = screen.see("Write this?")
    assert config.read_text() == before
    screen.type("y\n")

    assert screen.end() == 0
    assert "the password is wrong" in shown
    assert "✓ your calendars: “Büro”, “Home”" in shown
    assert f"The password goes into your keyring, as “sayso calendar 127.0.0.1:{server.port}”, {USER}" in shown
    assert not any(word.encode() in screen.raw for word in (PASSWORD, WRONG))
    text = config.read_text()
    assert text.startswith(before)
    assert 'default = "Home"' in text
    assert PASSWORD not in text
    assert sayso("run", "-", "--dialect", "lines", "--json", text=TODAY).document["results"][0]["state"] == "done"

    gone = desk("--remove")
    answered(gone, ("Remove this?", "y"))
    assert gone.end() == 0
    assert config.read_text() == before


@pytest.mark.thorough
def test_each_fault_has_a_sentence_of_its_own(desk: Callable[..., Screen], server: Radicale, config: Path):
    before = config.read_text()
    screen = desk("--seconds", "2")
    answered(screen, (HEAD, "http://cal.example.org/"))
    assert "would show your password to everybody on the way" in screen.see("✗")
    answered(screen, (HEAD, "ana@gmail.com"))
    screen.see("Google lets no program into its calendars")
    answered(screen, (HEAD, "ana@example.test"))
    screen.see("No server can be looked for there")
    answered(screen, (HEAD, f"http://127.0.0.1:{free_port()}/"), ("Your user name", USER), *by_password(PASSWORD))
    screen.see("nothing listens there")
    answered(screen, ("p: the password", "s"), (HEAD, f"https://127.0.0.1:{server.port}/"))
    answered(screen, ("Your user name", USER), *by_password(PASSWORD))
    screen.see("does not speak TLS as it should")
    answered(screen, ("p: the password", "s"), (HEAD, "https://cal.nowhere.invalid/"))
    answered(screen, ("Your user name", USER), *by_password(PASSWORD))
    screen.see("there is no server called “cal.nowhere.invalid”")
    answered(screen, ("p: the password", "s"), (HEAD, f"{server.url}nobody/here/"))
    answered(screen, ("Your user name", USER), *by_password(PASSWORD), ("p: the password", ""))

    assert screen.end() == 1
    assert config.read_text() == before


def test_what_is_found_is_shown_before_it_is_used(desk: Callable[..., Screen]):
    screen = desk()
    answered(screen, (HEAD, "ana@icloud.com"), ("Look for it? [Y/n]", ""))
    shown = screen.see("Use this? [Y/n]")
    screen.type("n\n")
    answered(screen, (HEAD, "\x03"))

    assert screen.end() == 3
    assert "https://caldav.icloud.com/" in shown
    assert "app-specific password" in shown


def test_a_program_may_print_the_password_and_there_is_no_token(
    sit: Sit, server: Radicale, config: Path, tmp_path: Path
):
    word = tmp_path / "word"
    word.write_text(PASSWORD)
    screen = sit("config", "calendar", columns=240)
    answered(screen, (HEAD, server.url), ("Your user name", USER), *by_program("cat", str(word)))
    answered(screen, ("Which", ""), ("Write this?", "y"))

    assert screen.end() == 0
    assert "OAuth2" not in screen.text
    assert f'password_command = ["cat", "{word}"]' in config.read_text()
