"""Answers of sway are read whole, and what is no answer of sway ends the talk."""

import json
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.sway import COMMAND, TREE, SwayConnection, connect, focused_window, look, monitors


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
        assert await ipc.tell("7", "focus") is took

    assert asked[0].endswith(b"[con_id=7] focus")
    assert asked[0][10] == COMMAND


async def test_only_a_number_names_a_window(tmp_path: Path):
    async with talking(tmp_path, lambda _: []) as ipc:
        with pytest.raises(ValueError, match="invalid literal"):
            await ipc.tell("7] kill; [con_id=8", "focus")


async def test_who_gives_up_waiting_leaves_no_answer_for_the_next_question(tmp_path: Path):
    answers = iter([b"1", b"2"])

    async with talking(tmp_path, lambda _: [answer(next(answers))]) as ipc:
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


OUTPUTS = json.dumps(
    [
        {"name": "A", "active": True, "rect": RECT, "serial": "x"},
        {"name": "B", "active": False, "rect": RECT},
    ]
).encode()


def test_the_window_used_last_is_first_and_hidden_ones_are_last():
    first = node(3, "workspace", window(4), window(5), name="1", focus=[5, 4])
    other = node(6, "workspace", window(7, visible=False), name="2")

    found = look(told(other, first), OUTPUTS)

    assert [(one.id, one.desktop, one.pid) for one in found.windows] == [("5", "1", 15), ("4", "1", 14), ("7", "2", 17)]


def test_each_state_is_told():
    floating = node(
        3,
        "workspace",
        name="1",
        floating_nodes=[window(4, "floating_con"), window(5, "floating_con", fullscreen_mode=1)],
    )
    tiled = node(6, "workspace", window(7), node(8, "con", window(9)), window(10, fullscreen_mode=1), name="2")
    away = node(11, "workspace", name="__i3_scratch", floating_nodes=[window(12, "floating_con")])

    found = look(told(floating, tiled, away), OUTPUTS)

    states = {one.id: (one.state, one.desktop) for one in found.windows}
    assert states == {
        "4": ("normal", "1"),
        "5": ("fullscreen", "1"),
        "7": ("tiled", "2"),
        "9": ("tiled", "2"),
        "10": ("tiled fullscreen", "2"),
        "12": ("minimised", ""),
    }


def test_a_window_in_a_floating_group_floats():
    group = node(4, "floating_con", window(5), window(6))

    found = look(told(node(3, "workspace", name="1", floating_nodes=[group])), OUTPUTS)

    assert [one.state for one in found.windows] == ["normal", "normal"]


def test_the_title_is_counted_in():
    titled = window(4, "floating_con", border="normal", deco_rect={"x": 0, "y": 0, "width": 100, "height": 20})

    found = look(told(node(3, "workspace", name="1", floating_nodes=[titled])), OUTPUTS)

    assert found.windows[0].bounds == Bounds(0, -20, 100, 50)


def test_a_program_of_x11_is_known_by_its_marks():
    marks = {"class": "Pad", "instance": "pad", "transient_for": 5}
    tree = json.loads(told(node(3, "workspace", window(4), name="1")))
    tree["nodes"][0]["nodes"][0]["nodes"][0] |= {"window_properties": marks, "app_id": None}

    (found,) = look(json.dumps(tree).encode(), OUTPUTS).windows

    assert (found.classes, found.belongs) == (("pad", "Pad"), True)


def test_the_window_with_the_keyboard_and_the_monitors_that_are_on():
    tree = told(node(3, "workspace", window(4), window(5, focused=True), name="1"))

    assert (focused_window(tree), focused_window(told())) == ("5", "")
    assert monitors(OUTPUTS) == (Monitor("A", Bounds(0, 0, 100, 50)),)
