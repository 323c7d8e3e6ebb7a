"""On a real X desktop a model is shown what other programs say is there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.record import State
from tests.desktop_env import windows
from tests.desktop_env.session import Session

pytestmark = pytest.mark.needs("mousepad", "xrandr")
SETTINGS = """
[browser]
kind = "memory"
[[preset]]
name = "code space"
placements = [{app_name = "Mousepad", monitor = "left"}]
"""


@pytest.fixture
def desk(x_session: Session) -> Iterator[Session]:
    windows.entry(x_session, "Clock", "xclock")
    yield x_session
    windows.clear(x_session)
    for entry in (Path(x_session.environment["XDG_DATA_HOME"]) / "applications").iterdir():
        entry.unlink()


def monitors(session: Session) -> dict[str, tuple[int, int, int, int]]:
    """Return what `xrandr` says: place and size by name."""
    told = re.findall(r": \+?\*?(\S+) (\d+)/\d+x(\d+)/\d+\+(\d+)\+(\d+)", session.run("xrandr", "--listmonitors"))
    return {name: (int(x), int(y), int(width), int(height)) for name, width, height, x, y in told}


@pytest.mark.req("S4-38", "S4-39", "S4-43", "S4-25", "S4-22")
async def test_what_runs_what_can_be_opened_and_where_the_monitors_are(desk: Session, tmp_path: Path):
    editor = windows.start(desk, "mousepad")
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text(SETTINGS)

    async with sayso.open_home(str(own), environ=desk.environment) as home:
        context = await home.context()

    data: dict[str, Any] = context.data
    assert data["running_apps"] == ["Mousepad"]
    assert {"Mousepad", "Clock"} <= set(data["installed_apps"])
    assert data["presets"] == ["code space"]
    shown = {one["name"]: (one["x"], one["y"], one["width"], one["height"]) for one in data["monitors"]}
    assert shown == monitors(desk)
    assert sorted(word for one in data["monitors"] for word in one["called"]) == ["left", "main", "right"]
    assert (context.left_out, context.text.count("</monitors>")) == ((), 1)
    (window,) = data["windows"]
    assert (window["app"], list(window["bounds"])) == ("Mousepad", list(windows.bounds(desk, editor)))
    assert "Mousepad" in window["title"]
    assert re.fullmatch(r"[0-9]+ seconds", data["idle"][0])


@pytest.mark.req("S4-25", "S4-26")
async def test_plain_words_put_a_real_window_on_the_left_half(desk: Session, tmp_path: Path):
    editor = windows.start(desk, "mousepad")
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text(SETTINGS)

    async with sayso.open_home(str(own), environ=desk.environment) as home:
        answer = await home.ask("put mousepad on the left half")

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    left, top, right, bottom = windows.bounds(desk, editor)
    x, y, width, height = monitors(desk)[next(iter(monitors(desk)))]
    assert (left, top, right, bottom) == (x, y, x + width // 2, y + height)
