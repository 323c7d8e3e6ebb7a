"""What a test of the conversation begins with: a person at a terminal, and a model that says what a file holds."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.surfaces.cli.conftest import Scripted
from tests.surfaces.cli.person import Screen, at_terminal
from tests.surfaces.cli.prepared import begins_alike, command

_NOTE_DOWN = """
config = {
    "id": "note_down", "name": "Note down", "description": "Adds a reminder.",
    "parameterSchema": {
        "type": "object",
        "properties": {
            "what": {"type": "string", "description": "What to note, such as “Milk”."},
            "day": {"type": "string", "description": "When.", "default": "2031-01-01"},
        },
        "required": ["what"],
    },
}
"""


class Talk(Protocol):
    """Starts `sayso chat` at a terminal, with a model that gives these replies."""

    def __call__(self, *replies: object, words: tuple[str, ...] = (), columns: int = 100, **environ: str) -> Screen: ...


def say(screen: Screen, keys: str) -> None:
    """Type at the prompt of the conversation, once it stands there."""
    screen.until(lambda text: text.endswith(("\n>", "\nyou:")))
    screen.type_ahead(keys)


def note_down(person: Path, handler: str) -> None:
    """Write an own action `note_down` with a parameter `what`, whose handler this is."""
    actions = person.parent / "sayso" / "actions"
    actions.mkdir(parents=True, mode=0o700, exist_ok=True)
    (actions / "note_down.py").write_text(_NOTE_DOWN + handler)


@pytest.fixture
def talk(scripted: Scripted) -> Iterator[Talk]:
    """Return what starts a conversation at a terminal."""
    screens: list[Screen] = []

    def start(*replies: object, words: tuple[str, ...] = (), columns: int = 100, **environ: str) -> Screen:
        words = ("chat", *(("--model", scripted(*replies)) if replies else ()), *words)
        prepared = begins_alike({**os.environ, **environ})
        argv = command(words) if prepared else at_terminal(*words)
        screens.append(Screen(argv, columns, 60, launched=prepared, **environ))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()
