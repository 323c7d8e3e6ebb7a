"""The server plays what it was given to whoever asks; that real clients understand it is seen in tests/models."""

import json
import socket
from urllib.parse import urlsplit

import pytest

from sayso.core.conversation import ReplyEnd, ReplyText
from sayso.testing.fakes import Silent, make_call
from sayso.testing.model_server import (
    ChatCompletions,
    CutOff,
    GenerateContent,
    Messages,
    ModelServer,
    Raw,
    Status,
    Stops,
    Wire,
    playing,
)

WIRES = (ChatCompletions, Messages, GenerateContent)


def events(wire: Wire) -> list[str]:
    """Return the data of the events of one reply."""
    pieces = [
        *wire.begun(),
        *wire.piece(ReplyText("ä “b”")),
        *wire.piece(make_call("read", path="p")),
        *wire.ended(ReplyEnd("", "tools")),
    ]
    lines = b"".join(pieces).decode().splitlines()
    return [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]


@pytest.mark.parametrize("kind", WIRES)
def test_every_event_is_json_and_holds_no_more_than_its_size(kind: type[Wire]):
    found = [json.loads(data) for data in events(kind("m", 7, 2)) if data != "[DONE]"]

    texts = [str(one) for one in found]
    assert any("'ä '" in text for text in texts)
    assert any("'“b'" in text for text in texts)
    assert not any("“b”" in text for text in texts)
    assert any("7" in text for text in texts)
    assert "too much" in json.dumps(kind.error(429, "too much"))


def test_blocks_of_messages_are_closed_in_their_order_and_chat_completions_end_with_done():
    found = [json.loads(data) for data in events(Messages("m", 1, 99))]

    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert [one["type"] for one in found] == ["message_start", "ping", *block, *block, "message_delta", "message_stop"]
    assert [one["index"] for one in found if "index" in one] == [0, 0, 0, 1, 1, 1]
    assert events(ChatCompletions("m", 1, 5))[-1] == "[DONE]"


CHAT = "/v1/chat/completions"
LAST = b"0\r\n\r\n"
"""What ends a body that is sent in chunks."""


def line_to(server: ModelServer, path: str = CHAT) -> socket.socket:
    """Ask as simply as can be, and return the connection."""
    at = urlsplit(server.root)
    line = socket.create_connection((at.hostname, at.port), timeout=10)
    line.sendall(f"POST {path} HTTP/1.1\r\nX-Mark: 1\r\nContent-Length: 14\r\n\r\n".encode() + b'{"model": "m"}')
    return line


def answer(server: ModelServer, path: str = CHAT) -> bytes:
    """Return all that is answered, byte for byte."""
    with line_to(server, path) as line, line.makefile("rb") as file:
        return file.read()


def test_it_keeps_what_it_was_asked_and_plays_in_order_the_last_for_ever():
    with playing("one", "two") as server:
        answers = [answer(server) for _ in range(3)]

    assert [b"one" in answers[0], b"two" in answers[1], b"two" in answers[2]] == [True, True, True]
    assert [one.endswith(LAST) for one in answers] == [True, True, True]
    assert [(heard.path, heard.body) for heard in server.heard] == [(CHAT, {"model": "m"})] * 3
    assert server.heard[0].headers["x-mark"] == "1"


def test_an_answer_that_is_no_reply_has_its_status_and_headers():
    with playing(Status(429, {"Retry-After": "3"}, "too much")) as server:
        head, _, body = answer(server).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 429 ")
    assert b"\r\nRetry-After: 3" in head
    assert json.loads(body)["error"]["message"] == "too much"


def test_a_path_that_nobody_speaks_at_is_not_there():
    with playing("one") as server:
        assert answer(server, "/elsewhere").startswith(b"HTTP/1.1 404 ")


def test_a_reply_can_break_or_only_stop_or_hold_bytes_of_any_kind():
    with playing([ReplyText("half"), CutOff()], [ReplyText("half"), Stops()], [Raw(b"\xff"), Stops()]) as server:
        broken, stopped, odd = answer(server), answer(server), answer(server)

    assert [b"half" in broken, broken.endswith(LAST)] == [True, False]
    assert [b"half" in stopped, stopped.endswith(LAST), b"[DONE]" in stopped] == [True, True, False]
    assert b"\xff" in odd


def test_a_silent_reply_notices_that_it_was_left_or_ends_with_the_server():
    with playing([ReplyText("well"), Silent()], [Silent()]) as server:
        with line_to(server) as line:
            assert line.recv(10)
            assert server.left == 0
        assert server.wait_until_left()
        stays = line_to(server)
        assert stays.recv(10)

    with stays, stays.makefile("rb") as file:
        assert not file.read().endswith(LAST)
