"""Answers of sway are read whole, and what is no answer of sway ends the talk."""

import socket
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError
from sayso.providers.apps.sway.ipc import COMMAND, TREE, Ipc, connected


def answer(payload: bytes, magic: bytes = b"i3-ipc", length: int | None = None) -> bytes:
    size = len(payload) if length is None else length
    return magic + size.to_bytes(4, sys.byteorder) + (0).to_bytes(4, sys.byteorder) + payload


@asynccontextmanager
async def talking(folder: Path, says: Callable[[bytes], list[bytes]]) -> AsyncGenerator[Ipc]:
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
    async with connected(path) as ipc:
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
