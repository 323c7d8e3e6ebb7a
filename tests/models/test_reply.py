"""A reply is heard piece by piece, counted, and its calls are told when it has ended as it should."""

import pytest
from pydantic_ai.messages import (
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from sayso.core.errors import ProviderError
from sayso.core.model import Said
from sayso.models.reply import Reply

PIECES = (
    PartStartEvent(index=0, part=TextPart("ääää")),
    PartDeltaEvent(index=0, delta=TextPartDelta("ääää")),
    PartStartEvent(index=1, part=ThinkingPart("ääää")),
    PartDeltaEvent(index=1, delta=ThinkingPartDelta(content_delta="ääää")),
    PartStartEvent(index=2, part=ToolCallPart("file_read", "ääää")),
    PartDeltaEvent(index=2, delta=ToolCallPartDelta(args_delta="ääää")),
)


def reply(most: int) -> Reply:
    return Reply("a:1", "A", most)


def test_only_text_is_said():
    one = reply(100)

    assert [said for piece in PIECES for said in one.heard(piece)] == [Said("ääää"), Said("ääää")]


@pytest.mark.parametrize("piece", PIECES)
def test_everything_that_comes_counts_by_its_bytes(piece: PartStartEvent | PartDeltaEvent):
    list(reply(8).heard(piece))

    with pytest.raises(ProviderError, match="longer than 7 bytes"):
        list(reply(7).heard(piece))


def test_an_empty_text_is_no_piece():
    assert list(reply(8).heard(PartStartEvent(index=0, part=TextPart("")))) == []


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        (("a\ud83d", "\ude42b"), ["a", "🙂b"]),
        (("\ud83d\ude42",), ["🙂"]),
        (("\ud83d", "x"), ["\N{REPLACEMENT CHARACTER}x"]),
        (("\ude42",), ["\N{REPLACEMENT CHARACTER}"]),
    ],
)
def test_characters_that_come_in_halves_are_joined(pieces: tuple[str, ...], said: list[str]):
    one = reply(100)

    found = [piece.text for text in pieces for piece in one.heard(PartStartEvent(index=0, part=TextPart(text)))]

    assert found == said
