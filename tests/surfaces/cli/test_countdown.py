"""A mail is held back at the terminal while it counts down, and Ctrl-C keeps it from going."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import Screen, at_terminal, sayso

Reply = Callable[[str], str]
Settings = Callable[[str], None]
SEND = '{"name": "macos_auto", "arguments": {"action": "mail_send", "to": "bo@y.test", "subject": "S", "body": "B"}}'
MAIL = '[mail]\nkind = "memory"\naddress = "ana@x.test"\nhold_seconds = {seconds}\n'


@pytest.fixture
def asked(settings: Settings, reply: Reply, sit: Sit) -> Callable[..., Screen]:
    """Return what brings a mail to its hold: the person has said yes."""

    def at(seconds: int, *words: str) -> Screen:
        settings(MAIL.format(seconds=seconds))
        screen = sit(argv=at_terminal("run", reply(SEND), "--dialect", "tools", *words))
        screen.see("Send “S” to bo@y.test", "[y/N]")
        screen.type("y\n")
        return screen

    return at


def last() -> dict[str, str]:
    return sayso("log", "--json").document["rows"][0]


@pytest.mark.req("S1-28")
def test_it_counts_down_and_sends(asked: Callable[..., Screen]):
    screen = asked(2)

    screen.see("held back for 2 s: Send “S” to bo@y.test", "Ctrl-C stops it", "s … Ctrl-C stops it")

    assert screen.end() == 0
    assert "Sent “S” to bo@y.test" in screen.text
    assert "s … Ctrl-C" not in screen.text


def test_ctrl_c_keeps_it_here(asked: Callable[..., Screen]):
    screen = asked(600)
    screen.see("s … Ctrl-C stops it")

    screen.type("\x03")

    assert screen.end() == 3
    assert "nothing left this machine" in screen.text
    assert last()["state"] == "declined"


def test_undo_on_another_terminal_keeps_it_here(asked: Callable[..., Screen]):
    screen = asked(600)
    screen.see("s … Ctrl-C stops it")

    undone = sayso("undo", last()["id"], "--yes", "--json")

    assert undone.code == 0
    assert undone.document["results"][0]["state"] == "done"
    assert screen.end() == 0
    assert "taken back while it was held back" in screen.text.replace("\n", " ")


def test_now_holds_nothing_back(asked: Callable[..., Screen]):
    screen = asked(600, "--now")

    assert screen.end() == 0
    assert "held back" not in screen.text
    assert "Sent “S” to bo@y.test" in screen.text


@pytest.mark.req("ML-06")
def test_who_is_killed_in_the_hold_has_sent_nothing_and_never_will(asked: Callable[..., Screen]):
    screen = asked(600)
    screen.see("s … Ctrl-C stops it")

    os.kill(screen.program.pid, signal.SIGKILL)
    screen.program.wait()

    first, second = last(), last()
    assert (first["state"], first["error"]) == ("failed", "interrupted before it began; nothing was changed")
    assert second == first
