"""What a test of the command line begins with: a person's folders, and terminals that are closed at the end."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from tests.mail_env.keyrings import SecretService, secret_service
from tests.surfaces.cli.interviews import Typist
from tests.surfaces.cli.person import Screen, at_terminal
from tests.surfaces.cli.prepared import begins_alike, command


@pytest.fixture
def person(scratch_home: Path) -> Path:
    """Return a person's home with Documents and Downloads, and one file `a.txt` to be moved."""
    (scratch_home / "Documents").mkdir()
    (scratch_home / "Downloads").mkdir()
    (scratch_home / "Downloads" / "a.txt").write_text("first\n")
    return scratch_home


@pytest.fixture
def reply(tmp_path: Path) -> Callable[[str], str]:
    """Return what writes a model's reply into a file and names the file."""

    def write(text: str) -> str:
        file = tmp_path / "reply.txt"
        file.write_text(text, encoding="utf-8")
        return str(file)

    return write


@pytest.fixture
def settings(person: Path) -> Callable[[str], None]:
    """Return what writes the person's settings."""

    def write(text: str) -> None:
        folder = person.parent / "sayso"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "config.toml").write_text(text)

    return write


class Scripted(Protocol):
    """Writes replies into a file, and returns the name of the model that gives them one after the other."""

    def __call__(self, *replies: object) -> str: ...


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    """Return what writes replies into a file and names the model that plays them."""

    def write(*replies: object) -> str:
        file = tmp_path / "replies.json"
        file.write_text(json.dumps(replies))
        return f"replay:{file}"

    return write


class Sit(Protocol):
    """Starts sayso, or `argv`, at a terminal of its own; `at_terminal` says how, for what is to be sent a signal."""

    def __call__(self, *words: str, argv: Sequence[str] = (), columns: int = 100, lines: int = 60) -> Screen: ...


@pytest.fixture
def sit() -> Iterator[Sit]:
    """Return what starts sayso at a terminal."""
    screens: list[Screen] = []

    def start(*words: str, argv: Sequence[str] = (), columns: int = 100, lines: int = 60) -> Screen:
        prepared = not argv and begins_alike(os.environ)
        argv = argv or (command(words) if prepared else at_terminal(*words))
        screens.append(Screen(argv, columns, lines, launched=prepared))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()


@pytest.fixture
def typist() -> Iterator[Typist]:
    """Return a terminal of this very process with somebody at it."""
    made = Typist()
    yield made
    made.close()


@pytest.fixture(scope="module")
def service() -> Iterator[SecretService]:
    """Return a keyring for a file of tests."""
    with secret_service() as there:
        yield there


@pytest.fixture
def with_keyring(service: SecretService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test run in a session with this keyring."""
    for name, value in service.environ.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def written(scratch_home: Path) -> Callable[[str], Path]:
    """Return what writes a file of settings, and returns the file."""

    def write(text: str) -> Path:
        file = Path(os.environ["SAYSO_HOME"], "config.toml")
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(text)
        return file

    return write
