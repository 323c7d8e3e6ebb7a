"""A chat reply tells its text as it comes and its blocks when they have closed."""

from sayso.core.events import Event, Proposed, Text
from sayso.core.proposal import Proposal
from sayso.dialects.fenced import FencedReader
from sayso.dialects.fences import Block


def two(block: Block, first: int) -> list[Event] | None:
    if "no" in block.content:
        return None
    return [Proposed(Proposal(0, "a")), Proposed(Proposal(0, "b"))]


def whole(text: str) -> tuple[str, list[Event]] | None:
    return None if "no" in text else ("said", [Proposed(Proposal(0, "c"))])


def told(reader: FencedReader, text: str) -> list[Event]:
    return [*reader.feed(text), *reader.close()]


def test_proposals_are_numbered_over_all_blocks():
    reader = FencedReader({"x": ("first", two)})

    events = told(reader, "```x\n```\nA\n```x\n```\n")

    assert [event.proposal.index for event in events if isinstance(event, Proposed)] == [0, 1, 2, 3]
    assert list(reader.dialects) == ["first"]


def test_a_block_that_is_not_its_own_is_shown_as_it_came():
    reader = FencedReader({"x": ("first", two)})

    events = told(reader, "```x\nno\n```\n")

    assert "".join(event.text for event in events if isinstance(event, Text)) == "```x\nno\n```"
    assert reader.dialects == {}


def test_a_reply_that_is_one_object_is_held_to_its_end():
    reader = FencedReader({}, ("second", whole))

    assert reader.feed(' {"a"') == []
    assert reader.feed(": 1}") == []
    assert reader.close() == [Text("said"), Proposed(Proposal(0, "c"))]
    assert list(reader.dialects) == ["second"]


def test_an_object_that_is_not_its_own_is_shown():
    assert told(FencedReader({}, ("second", whole)), '{"no": 1}') == [Text('{"no": 1}')]


def test_any_other_reply_is_told_at_once():
    reader = FencedReader({}, ("second", whole))

    assert reader.feed("  ") == []
    assert reader.feed("Hi") == [Text("  Hi")]
