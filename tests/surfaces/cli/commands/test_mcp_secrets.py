"""A secret of a wrapped server is typed once, kept in the keyring, and given to that server alone."""

import sys
from pathlib import Path

import pytest

from tests.mcp_env.wrapped import SERVER
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered
from tests.surfaces.cli.person import sayso

pytestmark = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")
HIDDEN, OTHER = "t0p-s3cret", "n3w-s3cret"


@pytest.fixture
def words(person: Path, tmp_path: Path, with_keyring: None) -> tuple[str, ...]:
    folder = tmp_path / "served"
    folder.mkdir()
    return ("--secrets", "TOKEN", "--", sys.executable, str(SERVER), str(folder))


def told(tmp_path: Path) -> str:
    """Return the secret that the server had when it was started last."""
    return max((tmp_path / "served").glob("started-*"), key=lambda file: file.stat().st_mtime_ns).read_text()


@pytest.mark.thorough
def test_a_secret_is_asked_for_before_the_start_and_taken_out_at_the_end(
    person: Path, tmp_path: Path, sit: Sit, words: tuple[str, ...]
):
    screen = sit("mcp", "wrap", "small", *words)
    answered(screen, ("TOKEN (not shown)", HIDDEN), ("Accept these 7 tools", "y"))
    assert screen.end() == 0, screen.text
    first = told(tmp_path)
    wrong = sayso("mcp", "secret", "small", "OTHER")
    changed = sit("mcp", "secret", "small", "TOKEN")
    answered(changed, ("TOKEN (not shown)", OTHER))
    assert changed.end() == 0
    (says,) = [one["says"] for one in sayso("doctor", "--json").document["findings"] if one["about"] == "mcp small"]
    second = told(tmp_path)
    assert sit("mcp", "unwrap", "small").end() == 0
    again = sit("mcp", "wrap", "small", *words)
    again.see("TOKEN (not shown)")

    assert (first, second) == (HIDDEN, OTHER)
    assert "“small” names no secret “OTHER”; it names TOKEN" in wrong.err
    assert HIDDEN.encode() not in screen.raw
    assert OTHER.encode() not in changed.raw
    assert "7 tools, as you accepted them" in says
    own = b"".join(file.read_bytes() for file in (person.parent / "sayso").rglob("*") if file.is_file())
    assert HIDDEN.encode() not in own
    assert OTHER.encode() not in own


def test_a_no_leaves_no_secret(person: Path, sit: Sit, words: tuple[str, ...]):
    screen = sit("mcp", "wrap", "small", *words)
    answered(screen, ("TOKEN (not shown)", HIDDEN), ("Accept these 7 tools", "n"))
    ended = screen.end()
    again = sit("mcp", "wrap", "small", *words)
    again.see("TOKEN (not shown)")

    assert ended == 3
