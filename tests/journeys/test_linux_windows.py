"""Applications and windows of a real X session, from words down the whole path and back."""

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sayso.assembly import Home
from sayso.core.record import State
from tests.desktop_env import parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session
from tests.journeys.ground import commands, opened, said, states, yes
from tests.journeys.outcomes import stopped

pytestmark = pytest.mark.needs("mousepad", "xclock", "xterm", "wmctrl", "xdotool", "xwininfo", "xrandr")

SETTINGS = """
[policy]
allowed_apps = ["Mousepad", "Clock"]
[[preset]]
name = "desk"
placements = [
  {app_name = "Mousepad", bounds = [0, 0, 960, 1080]},
  {app_name = "Ghost", monitor = "left"},
  {app_name = "Clock", monitor = "right", launch = true},
]
"""


class Desk(NamedTuple):
    """A person's home in the session."""

    session: Session
    own: Path

    def opened(self, settings: str = SETTINGS, **environ: str) -> AbstractAsyncContextManager[Home]:
        return opened(self.own, settings, {**self.session.environment, **environ})


@pytest.fixture
def desk(x_session: Session, tmp_path: Path) -> Iterator[Desk]:
    windows.entry(x_session, "Clock", "xclock")
    yield Desk(x_session, tmp_path / "own")
    windows.clear(x_session)
    windows.clear_entries(x_session)


@pytest.mark.req("S4-22", "S4-23", "S4-35", "T-101")
async def test_a_layout_is_put_up_as_far_as_it_can_be_and_every_failure_is_named(desk: Desk):
    editor = windows.start(desk.session, "mousepad")

    async with desk.opened() as home:
        report = await home.run(commands({"type": "activate_preset", "preset_name": "desk"}), "commands")

    (outcome,) = report.outcomes
    assert said(report) == [
        "Activated layout “desk”: placed Mousepad, Clock; not placed: Ghost: no application is called “Ghost”"
    ]
    assert outcome.record.state == "done"
    assert windows.bounds(desk.session, editor) == (0, 0, 960, 1080)
    (clock,) = [window for window in windows.listed(desk.session) if window != editor]
    assert windows.bounds(desk.session, clock)[0] >= 1920


KNOWN = """
[talk]
kind = "memory"
world = {context = {tabs = ["1. News, open for three days"]}}
[[preset]]
name = "code space"
placements = [{app_name = "Mousepad", bounds = [0, 0, 960, 1080]}]
"""


@pytest.mark.req("C-29", "S4-35")
async def test_a_layout_is_put_up_and_a_question_is_answered_without_any_change(desk: Desk):
    """What answers is the memory backend, which tells what is known; a model does it once there is one."""
    editor = windows.start(desk.session, "mousepad")
    question = {"type": "query", "question": "What are my oldest tabs right now?"}

    async with desk.opened(SETTINGS + KNOWN) as home:
        report = await home.run(commands({"type": "activate_preset", "preset_name": "code space"}), "commands")
        before = windows.bounds(desk.session, editor)
        answered = await home.run(commands(question), "commands")
        taken_back = await home.undo(dry_run=True)

    assert states(report) == ["done"]
    assert before == windows.bounds(desk.session, editor) == (0, 0, 960, 1080)
    (outcome,) = answered.outcomes
    assert (outcome.record.state, outcome.record.marks.changes) == ("done", ())
    assert "open for three days" in outcome.text
    assert taken_back.outcomes[0].record.undo_of == report.outcomes[0].record.id


@pytest.mark.req("S4-19", "UN-01", "X-02")
async def test_a_run_of_placements_is_taken_back_as_a_whole(desk: Desk):
    editor = windows.start(desk.session, "mousepad")
    before = windows.bounds(desk.session, editor)
    first = {"type": "place_app", "app_name": "Mousepad", "bounds": [100, 100, 900, 800]}
    second = {"type": "place_app", "app_name": "Mousepad", "monitor": "right"}

    async with desk.opened() as home:
        report = await home.run(commands(first, second), "commands")
        placed = windows.bounds(desk.session, editor)
        undone = await home.undo(report.outcomes[0].record.run)

    assert states(report) == ["done", "done"]
    assert placed == (2020, 100, 2820, 800)
    assert set(states(undone)) == {"done"}
    assert windows.bounds(desk.session, editor) == before


async def test_one_of_several_windows_of_an_application_is_placed_by_its_title_and_goes_back(desk: Desk):
    first = windows.start(desk.session, "xclock", "-title", "Berlin time")
    second = windows.start(desk.session, "xclock", "-title", "Tokyo time")
    before = [windows.bounds(desk.session, one) for one in (first, second)]

    def place(window: str) -> str:
        return commands({"type": "place_app", "app_name": "Clock", "bounds": [300, 300, 700, 700], "window": window})

    async with desk.opened() as home:
        unclear = await home.run(place("time"), "commands")
        report = await home.run(place("berlin"), "commands")
        placed = [windows.bounds(desk.session, one) for one in (first, second)]
        await home.undo(report.run)

    assert states(unclear) == ["failed"]
    assert "2 windows of Clock have “time” in their titles" in str(unclear.outcomes[0].record.marks.error)
    assert states(report) == ["done"]
    assert placed == [(300, 300, 700, 700), before[1]]
    assert [windows.bounds(desk.session, one) for one in (first, second)] == before


@pytest.mark.req("C-24", "C-25", "T-96")
async def test_windows_go_left_and_right_in_order_and_bounds_decide(desk: Desk):
    editor, clock = windows.start(desk.session, "mousepad"), windows.start(desk.session, "xclock")

    def place(app: str, **where: object) -> dict[str, object]:
        return {"type": "place_app", "app_name": app, **where}

    async with desk.opened() as home:
        sides = await home.run(commands(place("Mousepad", monitor="right"), place("Clock", monitor="left")), "commands")
        seen = windows.bounds(desk.session, editor), windows.bounds(desk.session, clock)
        exact = [[1920, 0, 2880, 1080], [0, 0, 1920, 1080], [360, 140, 1560, 940]]
        texts = [
            commands(place("Mousepad", bounds=exact[0], monitor="right")),
            commands(place("Mousepad", bounds=exact[1])),
            commands(place("Mousepad", bounds=exact[2], monitor="left")),
        ]
        found: list[list[int]] = []
        for text in texts:
            await home.run(text, "commands")
            found.append(list(windows.bounds(desk.session, editor)))

    assert set(states(sides)) <= {"done", "unchanged"}
    assert seen[0][0] >= 1920
    assert seen[1][2] <= 1920
    assert found == exact


async def test_what_is_not_exactly_as_asked_is_said_with_the_result(desk: Desk):
    terminal = windows.start(desk.session, "xterm")

    async with desk.opened() as home:
        place = {"type": "place_app", "app_name": "XTerm", "bounds": [100, 50, 800, 550]}
        report = await home.run(commands(place), "commands")

    left, top, right, bottom = windows.bounds(desk.session, terminal)
    where = f"the window of XTerm is now at {left}, {top}, {right - left} wide and {bottom - top} high"
    assert said(report) == [f"Placed XTerm ({where})"]


@pytest.mark.req("AP-01", "T-31")
async def test_two_applications_of_one_name_are_neither_opened(desk: Desk):
    windows.entry(desk.session, "Clock", "xclock -digital", "other-clock.desktop")

    async with desk.opened() as home:
        report = await home.run('OPEN_APP "Clock"')

    assert states(report) == ["failed"]
    assert "2 applications are called “Clock”" in said(report)[0]
    assert windows.listed(desk.session) == {}


@pytest.mark.req("AP-02", "T-31")
@pytest.mark.parametrize(
    "name", ["Clock -digital", "Clock --help", "Clock; touch x", "xclock", "/usr/bin/xclock", "file:///x"]
)
async def test_what_is_no_name_of_the_menus_opens_nothing(desk: Desk, name: str):
    async with desk.opened() as home:
        report = await home.run(f'OPEN_APP "{name}"', approver=yes())

    assert states(report)[0] in {"failed", "refused"}
    assert windows.listed(desk.session) == {}


@pytest.mark.req("T-31", "S0-78")
async def test_an_application_that_is_not_listed_is_asked_about(desk: Desk):
    windows.start(desk.session, "xterm")

    async with desk.opened() as home:
        report = await home.run('QUIT_APP "XTerm"')

    assert states(report) == ["waiting"]
    assert len(windows.listed(desk.session)) == 1


@pytest.mark.req("T-98", "S4-21")
async def test_another_case_is_enough_for_lines_and_not_for_commands(desk: Desk):
    windows.start(desk.session, "mousepad")

    async with desk.opened() as home:
        lines = await home.run('ACTIVATE_APP "mousepad"')
        exact = await home.run(commands({"type": "focus_app", "app_name": "mousepad"}), "commands")

    assert states(lines) == ["done"]
    assert states(exact) == ["failed"]
    assert "did you mean “Mousepad”?" in said(exact)[0]


async def test_without_a_screen_any_more_nothing_is_claimed(desk: Desk):
    async with desk.opened(DISPLAY=":987") as home:
        report = await home.run('OPEN_APP "Clock"')

    assert states(report) == ["failed"]
    assert "no X server answers" in said(report)[0]


@pytest.mark.thorough  # five real seconds; the screen of X11 is tried with a shorter patience
@pytest.mark.timeout(120)
def test_a_screen_that_hangs_ends_in_a_failure_and_not_in_waiting(tmp_path: Path):
    with session("Xvfb", "openbox") as hung:
        parts.a_screen(hung)
        with stopped(*hung.processes("Xvfb")):
            words = (sys.executable, "-m", "sayso", "run", "-", "--dialect", "lines")
            told = hung.run(*words, data=b'ACTIVATE_APP "Clock"', check=False)

    assert "failed: no X server answers" in told
    assert "did not answer within 5 seconds" in told


PRESET = """
[browser]
kind = "memory"
[[preset]]
name = "code space"
placements = [{app_name = "Mousepad", monitor = "left"}]
"""


def monitors(session: Session) -> dict[str, tuple[int, int, int, int]]:
    """Return what `xrandr` says: place and size by name."""
    told = re.findall(r": \+?\*?(\S+) (\d+)/\d+x(\d+)/\d+\+(\d+)\+(\d+)", session.run("xrandr", "--listmonitors"))
    return {name: (int(x), int(y), int(width), int(height)) for name, width, height, x, y in told}


@pytest.mark.req("S4-38", "S4-39", "S4-43", "S4-25", "S4-22")
async def test_what_runs_what_can_be_opened_and_where_the_monitors_are(desk: Desk):
    editor = windows.start(desk.session, "mousepad")

    async with desk.opened(PRESET) as home:
        context = await home.context()

    data: dict[str, Any] = context.data
    assert data["running_apps"] == ["Mousepad"]
    assert {"Mousepad", "Clock"} <= set(data["installed_apps"])
    assert data["presets"] == ["code space"]
    shown = {one["name"]: (one["x"], one["y"], one["width"], one["height"]) for one in data["monitors"]}
    assert shown == monitors(desk.session)
    assert sorted(word for one in data["monitors"] for word in one["called"]) == ["left", "main", "right"]
    assert (context.left_out, context.text.count("</monitors>")) == ((), 1)
    (window,) = data["windows"]
    assert (window["app"], list(window["bounds"])) == ("Mousepad", list(windows.bounds(desk.session, editor)))
    assert "Mousepad" in window["title"]
    assert re.fullmatch(r"[0-9]+ seconds", data["idle"][0])


@pytest.mark.req("S4-25", "S4-26")
async def test_plain_words_put_a_real_window_on_the_left_half(desk: Desk):
    editor = windows.start(desk.session, "mousepad")

    async with desk.opened(PRESET) as home:
        answer = await home.ask("put mousepad on the left half")

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    left, top, right, bottom = windows.bounds(desk.session, editor)
    x, y, width, height = monitors(desk.session)[next(iter(monitors(desk.session)))]
    assert (left, top, right, bottom) == (x, y, x + width // 2, y + height)
