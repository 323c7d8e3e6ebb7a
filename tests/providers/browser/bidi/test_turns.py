"""Whoever speaks with Firefox holds a lock, and what is kept is private and whole."""

import threading
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.browser.bidi import turns
from sayso.providers.browser.bidi.known import Notes
from sayso.providers.browser.bidi.turns import turn
from sayso.runtime.clock import SystemClock

CLOCK = SystemClock()


def test_what_one_keeps_the_next_finds(tmp_path: Path):
    with turn(str(tmp_path), "1.json", CLOCK) as kept:
        kept.keep(Notes("run-with-a-long-name", made=7))
        kept.keep(Notes("run", made=8))
    with turn(str(tmp_path), "1.json", CLOCK) as kept:
        found = kept.notes
    with turn(str(tmp_path), "2.json", CLOCK) as kept:
        other = kept.notes

    assert (found, other) == (Notes("run", made=8), Notes())
    assert (tmp_path / "firefox" / "1.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "firefox").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("text", ["", "{", '{"run": 1}', "[]", "\0"])
def test_what_cannot_be_read_is_forgotten(tmp_path: Path, text: str):
    (tmp_path / "firefox").mkdir()
    (tmp_path / "firefox" / "1.json").write_text(text)

    with turn(str(tmp_path), "1.json", CLOCK) as kept:
        assert kept.notes == Notes()


def test_a_second_waits_for_the_first(tmp_path: Path):
    order: list[str] = []
    begun = threading.Event()

    def second() -> None:
        begun.set()
        with turn(str(tmp_path), "1.json", CLOCK):
            order.append("second")

    with turn(str(tmp_path), "1.json", CLOCK):
        thread = threading.Thread(target=second)
        thread.start()
        begun.wait(10)
        order.append("first")
    thread.join(10)

    assert order == ["first", "second"]


def test_who_waits_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.05)

    with (
        turn(str(tmp_path), "1.json", CLOCK),
        pytest.raises(ProviderError, match="another sayso is busy"),
        turn(str(tmp_path), "1.json", CLOCK),
    ):
        pass


def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "firefox").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "firefox" / "1.json").symlink_to(tmp_path / "mine")

    with pytest.raises(OSError, match="symbolic"), turn(str(tmp_path), "1.json", CLOCK):
        pass

    assert (tmp_path / "mine").read_text() == "mine"
