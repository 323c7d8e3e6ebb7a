"""What a test of the conversation begins with: a person at a terminal, and a model that says what a file holds."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.surfaces.cli.conftest import person, reply, settings, sit, typist
from tests.surfaces.cli.person import Screen, at_terminal
from tests.surfaces.cli.prepared import begins_alike, command

__all__ = ["person", "reply", "settings", "sit", "typist"]


class Talk(Protocol):
    """Starts `sayso chat` at a terminal, with a model that gives these replies."""

    def __call__(self, *replies: object, words: tuple[str, ...] = (), columns: int = 100, **environ: str) -> Screen: ...


def say(screen: Screen, keys: str) -> None:
    """Type at the prompt of the conversation, once it stands there."""
    screen.until(lambda text: text.endswith(("\n>", "\nyou:")))
    screen.type_ahead(keys)


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., str]:
    """Return what writes replies into a file and names the model that plays them."""

    def write(*replies: object) -> str:
        file = tmp_path / "replies.json"
        file.write_text(json.dumps(replies))
        return f"replay:{file}"

    return write


@pytest.fixture
def talk(scripted: Callable[..., str]) -> Iterator[Talk]:
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
