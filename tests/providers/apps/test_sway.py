"""Answers of sway are read whole, and what is no answer of sway ends the talk."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import ClassVar

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Backend
from sayso.providers.apps import APPS
from sayso.providers.apps import sway as ipc
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.screen import ScreenWindow
from sayso.providers.apps.sway import (
    COMMAND,
    OUTPUTS,
    TREE,
    SwayConnection,
    TilingRequests,
    build,
    connect,
    focused_window,
    read_monitors,
    read_snapshot,
)
from sayso.testing.apps import AppsSuite
from sayso.testing.harness import Trial
from tests.desktop_env import containers, parts, windows
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session, wait_for
from tests.providers.apps.fakes import backend_context

pytestmark = pytest.mark.needs("sway", "foot", "swaymsg")


def answer(payload: bytes, magic: bytes = b"i3-ipc", length: int | None = None) -> bytes:
    size = len(payload) if length is None else length
    return magic + size.to_bytes(4, sys.byteorder) + (0).to_bytes(4, sys.byteorder) + payload


@asynccontextmanager
async def talking(folder: Path, says: Callable[[bytes], list[bytes]]) -> AsyncGenerator[SwayConnection]:
    def serve() -> None:
        with suppress(ConnectionError), listener, listener.accept()[0] as stream:
            while question := stream.recv(4096):
                for piece in says(question):
                    stream.sendall(piece)

    path = str(folder / "sway.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    server = threading.Thread(target=serve)
    server.start()
    async with connect(path) as ipc:
        yield ipc
    server.join()


async def test_an_answer_in_pieces_is_read_whole(tmp_path: Path):
    whole = answer(b'{"a": 1}')

    async with talking(tmp_path, lambda _: [whole[:3], whole[3:10], whole[10:]]) as ipc:
        assert await ipc.ask(TREE) == b'{"a": 1}'


@pytest.mark.parametrize("wrong", [answer(b"{}", b"nonsen"), answer(b"", length=2**31)])
async def test_what_is_no_answer_of_sway_is_a_failure(tmp_path: Path, wrong: bytes):
    async with talking(tmp_path, lambda _: [wrong]) as ipc:
        with pytest.raises(ProviderError, match="sway has ended the connection"):
            await ipc.ask(TREE)


@pytest.mark.parametrize(
    ("said", "took"), [(b'[{"success": true}]', True), (b'[{"success": false, "error": "x"}]', False)]
)
async def test_a_command_is_taken_or_not(tmp_path: Path, said: bytes, took: bool):
    asked: list[bytes] = []

    def says(question: bytes) -> list[bytes]:
        asked.append(question)
        return [answer(said)]

    async with talking(tmp_path, says) as ipc:
        assert await ipc.command("7", "focus") is took

    assert asked[0].endswith(b"[con_id=7] focus")
    assert asked[0][10] == COMMAND


async def test_who_gives_up_waiting_leaves_no_answer_for_the_next_question_and_only_a_number_names_a_window(
    tmp_path: Path,
):
    answers = iter([b"1", b"2"])

    async with talking(tmp_path, lambda _: [answer(next(answers))]) as ipc:
        with pytest.raises(ValueError, match="invalid literal"):
            await ipc.command("7] kill; [con_id=8", "focus")
        with anyio.CancelScope() as given_up:
            given_up.cancel()
            await ipc.ask(TREE)
        second = await ipc.ask(TREE)

    assert second == b"2"


RECT = {"x": 0, "y": 0, "width": 100, "height": 50}


def node(id_: int, kind: str, *nodes: dict[str, object], **more: object) -> dict[str, object]:
    return {"id": id_, "type": kind, "rect": RECT, "nodes": list(nodes), "floating_nodes": [], "focus": [], **more}


def window(id_: int, kind: str = "con", **more: object) -> dict[str, object]:
    return node(id_, kind, pid=10 + id_, app_id=f"app{id_}", window_properties=None, **more) | {"visible": True} | more


def told(*workspaces: dict[str, object], **more: object) -> bytes:
    root = node(1, "root", node(2, "output", *workspaces, name="A"), **more)
    return json.dumps(root).encode()


MONITORS = json.dumps(
    [{"name": "A", "active": True, "rect": RECT, "serial": "x"}, {"name": "B", "active": False, "rect": RECT}]
).encode()


def test_the_window_used_last_is_first_and_hidden_ones_are_last():
    first = node(3, "workspace", window(4), window(5), name="1", focus=[5, 4])
    other = node(6, "workspace", window(7, visible=False), name="2")

    found = read_snapshot(told(other, first), MONITORS)

    assert [(one.id, one.desktop, one.pid) for one in found.windows] == [("5", "1", 15), ("4", "1", 14), ("7", "2", 17)]


def test_each_state_is_told():
    windows = [window(4, "floating_con"), window(5, "floating_con", fullscreen_mode=1)]
    group = node(13, "floating_con", window(14), window(15))
    floating = node(3, "workspace", name="1", floating_nodes=[*windows, group])
    tiled = node(6, "workspace", window(7), node(8, "con", window(9)), window(10, fullscreen_mode=1), name="2")
    away = node(11, "workspace", name="__i3_scratch", floating_nodes=[window(12, "floating_con")])

    found = read_snapshot(told(floating, tiled, away), MONITORS)

    states = {one.id: (one.state, one.desktop) for one in found.windows}
    assert states == {
        **dict.fromkeys(("4", "14", "15"), ("normal", "1")),
        "5": ("fullscreen", "1"),
        **dict.fromkeys(("7", "9"), ("tiled", "2")),
        "10": ("tiled fullscreen", "2"),
        "12": ("minimised", ""),
    }


def test_the_title_is_counted_in():
    titled = window(4, "floating_con", border="normal", deco_rect={"x": 0, "y": 0, "width": 100, "height": 20})

    found = read_snapshot(told(node(3, "workspace", name="1", floating_nodes=[titled])), MONITORS)

    assert found.windows[0].bounds == Bounds(0, -20, 100, 50)


def test_a_program_of_x11_is_known_by_its_marks():
    marks = {"class": "Pad", "instance": "pad", "transient_for": 5}
    tree = json.loads(told(node(3, "workspace", window(4), name="1")))
    tree["nodes"][0]["nodes"][0]["nodes"][0] |= {"window_properties": marks, "app_id": None}

    (found,) = read_snapshot(json.dumps(tree).encode(), MONITORS).windows

    assert (found.classes, found.belongs) == (("pad", "Pad"), True)


def test_the_window_with_the_keyboard_and_the_monitors_that_are_on():
    tree = told(node(3, "workspace", window(4), window(5, focused=True), name="1"))

    assert (focused_window(tree), focused_window(told())) == ("5", "")
    assert read_monitors(MONITORS) == (Monitor("A", Bounds(0, 0, 100, 50)),)


class TestSway(AppsSuite):
    """The suite, with two terminals of different names."""

    running = "Pad"
    idle = "Clock"
    desktop: ClassVar[Session]

    @pytest.fixture(autouse=True)
    def _fresh_screen(self, wayland_desktop: Session) -> Iterator[None]:
        type(self).desktop = wayland_desktop
        for name in ("Pad", "Clock"):
            windows.entry(wayland_desktop, name, f"foot --app-id={name.lower()} sleep 100")
        yield
        containers.clear(wayland_desktop)

    def make(self) -> Backend:
        containers.start(self.desktop, "foot", "--app-id=pad", "sleep", "100")
        return build(backend_context(self.desktop.home))


@pytest.mark.req("X-05")
async def test_where_sway_is_not_the_person_is_told_what_to_do(bare_desktop: Session, tmp_path: Path):
    with pytest.raises(SetupError, match="SWAYSOCK is not set; start sayso from within sway"):
        build(backend_context(bare_desktop.home))
    with pytest.raises(SetupError, match=r"sway does not answer on .*none \(SWAYSOCK\)"):
        await build(backend_context(tmp_path, {"SWAYSOCK": f"{tmp_path}/none"})).reads.running()


@pytest.fixture
def desk(wayland_desktop: Session) -> Iterator[Session]:
    yield wayland_desktop
    containers.clear(wayland_desktop)


def trial(desk: Session) -> Trial:
    return Trial(APPS, build(backend_context(desk.home)))


def pad(desk: Session, name: str = "pad") -> int:
    return containers.start(desk, "foot", f"--app-id={name}", "sleep", "100")


@pytest.mark.req("S4-22", "S4-23", "S4-25")
async def test_a_tiled_window_is_let_go_placed_exactly_and_tiled_again_where_it_was(desk: Session):
    first, second, third = pad(desk, "one"), pad(desk, "two"), pad(desk, "three")
    before = {window: containers.bounds(desk, window) for window in (first, second, third)}
    tried = trial(desk)

    plan = await tried.plan("app.place", name="one", bounds=[2000, 100, 2600, 600])
    lefts = await tried.do(plan)
    placed, kind = containers.bounds(desk, first), containers.listed(desk)[first]["type"]
    await tried.take_back(plan, lefts)

    assert (placed, kind) == ((2000, 100, 2600, 600), "floating_con")
    assert {window: containers.bounds(desk, window) for window in (first, second, third)} == before
    assert containers.listed(desk)[first]["type"] == "con"


def spot(desk: Session, window: int) -> tuple[tuple[int, ...], str]:
    return containers.bounds(desk, window), containers.listed(desk)[window]["workspace"]


async def test_a_floating_window_comes_back_to_its_workspace_and_place(desk: Session):
    window = pad(desk)
    containers.floating(desk, window, (200, 150, 840, 630))
    before = spot(desk, window)
    tried = trial(desk)

    plan = await tried.plan("app.place", name="pad", monitor="right")
    lefts = await tried.do(plan)
    placed, workspace = spot(desk, window)
    await tried.take_back(plan, lefts)

    assert placed == (2120, 150, 2760, 630)
    assert workspace != before[1]
    assert spot(desk, window) == before
    assert before[0] == (200, 150, 840, 630)


async def test_a_window_that_was_put_away_is_shown_placed_and_put_away_again(desk: Session):
    window = pad(desk)
    containers.tell(desk, window, "move scratchpad")
    wait_for(lambda: spot(desk, window)[1] == "__i3_scratch", "the scratchpad")
    tried = trial(desk)

    plan = await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600])
    lefts = await tried.do(plan)
    placed, workspace = spot(desk, window)
    await tried.take_back(plan, lefts)

    assert placed == (100, 100, 700, 600)
    assert workspace != "__i3_scratch"
    assert spot(desk, window)[1] == "__i3_scratch"


async def test_a_fullscreen_window_comes_back_to_fullscreen_and_tiled_beneath(desk: Session):
    window, _ = pad(desk), pad(desk, "other")
    beneath = containers.bounds(desk, window)
    containers.tell(desk, window, "fullscreen enable")
    wait_for(lambda: containers.bounds(desk, window) == (0, 0, 1920, 1080), "the whole monitor")
    tried = trial(desk)

    plan = await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600])
    lefts = await tried.do(plan)
    placed = containers.bounds(desk, window)
    await tried.take_back(plan, lefts)
    again = containers.bounds(desk, window)
    containers.tell(desk, window, "fullscreen disable")

    assert (placed, again) == ((100, 100, 700, 600), (0, 0, 1920, 1080))
    wait_for(lambda: containers.bounds(desk, window) == beneath, "what was beneath")


async def test_bounds_count_the_title_in(desk: Session):
    window = pad(desk)
    containers.tell(desk, window, "border normal")
    wait_for(lambda: containers.listed(desk)[window]["deco_rect"]["height"], "a title")
    tried = trial(desk)

    await tried.do(await tried.plan("app.place", name="pad", bounds=[100, 100, 700, 600]))

    title = containers.listed(desk)[window]["deco_rect"]["height"]
    assert title > 0
    assert containers.bounds(desk, window) == (100, 100 + title, 700, 600)


@pytest.mark.req("S4-20", "S0-44")
@pytest.mark.parametrize("command", ["nop", "move scratchpad", "move container to workspace 7"])
async def test_an_application_comes_to_the_front_from_wherever_it_is(desk: Session, command: str):
    window, other = pad(desk), pad(desk, "other")
    containers.tell(desk, window, command)
    tried = trial(desk)

    await tried.do(await tried.plan("app.activate", name="pad"))

    wait_for(lambda: containers.listed(desk)[window]["focused"], "the keyboard")
    assert not containers.listed(desk)[other]["focused"]


@pytest.mark.req("S4-27", "T-36")
async def test_every_process_of_an_application_is_quit_and_no_other(desk: Session):
    pad(desk)
    pad(desk)
    stays = pad(desk, "other")
    tried = trial(desk)

    await tried.do(await tried.plan("app.quit", name="pad"))

    assert set(containers.listed(desk)) == {stays}


async def test_a_sway_that_is_stopped_is_not_waited_for_and_one_that_ended_is_named(monkeypatch: pytest.MonkeyPatch):
    with session("sway", "swaymsg", user=NOBODY) as own:
        parts.a_compositor(own)
        sway = int(own.environment["SWAYSOCK"].split(".")[-2])
        with monkeypatch.context() as hurried:
            hurried.setattr(ipc, "SECONDS", 0.3)
            async with ipc.connect(own.environment["SWAYSOCK"]) as made:
                os.kill(sway, signal.SIGSTOP)
                with pytest.raises(ProviderError, match=r"sway did not answer within 0\.3 seconds"):
                    await made.ask(ipc.TREE)
        os.kill(sway, signal.SIGCONT)
        async with ipc.connect(own.environment["SWAYSOCK"]) as made:
            await made.ask(ipc.TREE)
            os.kill(sway, signal.SIGKILL)
            with pytest.raises(ProviderError, match="sway has ended the connection"):
                await made.ask(ipc.TREE)


LEFT, MIDDLE, RIGHT = (Bounds(x, 0, x + 100, 300) for x in (0, 100, 200))


class FakeSway:
    """Three places side by side; moving beyond the last goes to another workspace."""

    def __init__(self, at: int, places: tuple[Bounds, ...] = (LEFT, MIDDLE, RIGHT)) -> None:
        self.at, self.places = at, places
        self.commands: list[str] = []

    async def ask(self, kind: int, text: str = "") -> bytes:
        assert kind == OUTPUTS != COMMAND
        return b'[{"name": "A", "active": true, "rect": {"x": 0, "y": 0, "width": 300, "height": 300}}]'

    async def command(self, window: str, command: str) -> bool:
        self.commands.append(command)
        self.at += {"move right": 1, "move left": -1}.get(command, 0)
        return True

    async def one(self, window: str) -> ScreenWindow:
        inside = 0 <= self.at < len(self.places)
        bounds = self.places[self.at] if inside else Bounds(900, 0, 1000, 300)
        return ScreenWindow(window, (), None, bounds, "tiled", "1" if inside else "2")


@pytest.mark.parametrize(
    ("at", "to", "commands"),
    [
        (2, LEFT, ["move left", "move left"]),
        (0, RIGHT, ["move right", "move right"]),
        (1, MIDDLE, []),
        (1, LEFT, ["move left"]),
        (1, Bounds(100, 0, 200, 310), ["resize set width 100 px height 310 px"]),
    ],
)
async def test_a_tiled_window_moves_until_it_is_there_and_is_sized(at: int, to: Bounds, commands: list[str]):
    sway = FakeSway(at)

    await TilingRequests(sway, sway.one).tile("7", to)

    assert sway.commands == ["floating disable", *commands]
    assert (sway.places[sway.at].left, sway.places[sway.at].top) == (to.left, to.top)


async def test_it_does_not_leave_its_workspace():
    sway = FakeSway(2)

    await TilingRequests(sway, sway.one).tile("7", Bounds(500, 0, 600, 300))

    assert sway.at == 2
    assert sway.commands[-1].startswith("resize set")


async def test_a_workspace_is_named_in_one_word_and_goes_to_its_monitor_where_it_was_made_elsewhere():
    here, elsewhere = FakeSway(1), FakeSway(9)

    await TilingRequests(here, here.one).to_workspace("7", 'my "own\\', MIDDLE)
    await TilingRequests(elsewhere, elsewhere.one).to_workspace("7", "2", MIDDLE)

    assert here.commands == ['move --no-auto-back-and-forth container to workspace "my \\"own\\\\"']
    assert elsewhere.commands[-1] == 'move workspace to output "A"'
