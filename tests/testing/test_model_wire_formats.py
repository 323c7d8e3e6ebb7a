"""Each format is written as the vendors' own libraries read it; that they do is seen in tests/models."""

import json

import pytest

from sayso.core.conversation import Ended, Said
from sayso.testing.model_wire_formats import ChatCompletions, GenerateContent, Messages, Wire
from sayso.testing.scripted_model import called

WIRES = (ChatCompletions, Messages, GenerateContent)


def events(wire: Wire) -> list[str]:
    """Return the data of the events of one reply."""
    pieces = [
        *wire.begun(),
        *wire.piece(Said("ä “b”")),
        *wire.piece(called("read", path="p")),
        *wire.ended(Ended("", "tools")),
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


def test_chat_completions_end_with_done():
    assert events(ChatCompletions("m", 1, 5))[-1] == "[DONE]"


def test_blocks_of_messages_are_closed_in_their_order():
    found = [json.loads(data) for data in events(Messages("m", 1, 99))]

    assert [one["type"] for one in found] == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [one["index"] for one in found if "index" in one] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("kind", WIRES)
def test_errors_say_what_is_wrong(kind: type[Wire]):
    assert "too much" in json.dumps(kind.error(429, "too much"))
