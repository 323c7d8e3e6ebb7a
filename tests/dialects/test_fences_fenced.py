"""A chat reply tells its text as it comes and its blocks when they have closed."""

from hypothesis import given
from hypothesis import strategies as st

from sayso.core.dialect import Event, ProposalEvent, TextEvent
from sayso.core.proposal import Proposal
from sayso.dialects.fences import FencedBlock, FencedReader

SOUP = st.lists(
    st.sampled_from(
        ["```", "`", "~~~", "x", "", "y\n```", "\n", "\n\n\n", "\r\n", "\r", " ", "{", "no", "`` ", "A", ">"]
    ),
    max_size=14,
)


def two(block: FencedBlock, first: int) -> list[Event] | None:
    if "no" in block.content:
        return None
    return [ProposalEvent(Proposal(0, "a")), ProposalEvent(Proposal(0, "b"))]


def whole(text: str) -> tuple[str, list[Event]] | None:
    return None if "no" in text else ("said", [ProposalEvent(Proposal(0, "c"))])


def told(reader: FencedReader, text: str) -> list[Event]:
    return [*reader.feed(text), *reader.close()]


def test_proposals_are_numbered_over_all_blocks():
    reader = FencedReader({"x": ("first", two)})

    events = told(reader, "```x\n```\nA\n```x\n```\n")

    assert [event.proposal.index for event in events if isinstance(event, ProposalEvent)] == [0, 1, 2, 3]
    assert list(reader.dialects) == ["first"]


def test_a_block_that_is_not_its_own_is_shown_as_it_came():
    reader = FencedReader({"x": ("first", two)})

    events = told(reader, "```x\nno\n```\n")

    assert "".join(event.text for event in events if isinstance(event, TextEvent)) == "```x\nno\n```"
    assert reader.dialects == {}


def test_a_reply_that_is_one_object_is_held_to_its_end():
    reader = FencedReader({}, ("second", whole))

    assert reader.feed(' {"a"') == []
    assert reader.feed(": 1}") == []
    assert reader.close() == [TextEvent("said"), ProposalEvent(Proposal(0, "c"))]
    assert list(reader.dialects) == ["second"]


def test_an_object_that_is_not_its_own_is_shown():
    assert told(FencedReader({}, ("second", whole)), '{"no": 1}') == [TextEvent('{"no": 1}')]


def test_any_other_reply_is_told_at_once():
    reader = FencedReader({}, ("second", whole))

    assert reader.feed("  ") == []
    assert reader.feed("Hi") == [TextEvent("  Hi")]


@given(SOUP)
def test_how_a_reply_is_cut_makes_no_difference(parts: list[str]):
    for document in (None, ("second", whole)):
        found = [FencedReader({"x": ("first", two)}, document) for _ in range(3)]
        ways = (["".join(parts)], parts, list("".join(parts)))

        read = [merged(reader, pieces) for reader, pieces in zip(found, ways, strict=True)]

        assert read[0] == read[1] == read[2]


def merged(reader: FencedReader, pieces: list[str]) -> tuple[str, list[Event]]:
    events = [event for piece in pieces for event in reader.feed(piece)] + reader.close()
    shown = "".join(event.text for event in events if isinstance(event, TextEvent))
    return shown, [event for event in events if not isinstance(event, TextEvent)]


def test_an_empty_piece_is_nothing():
    reader = FencedReader({"x": ("first", two)})

    told = [reader.feed(piece) for piece in ("A", "B", "", "`", "", "`x")]

    assert told == [[TextEvent("A")], [TextEvent("B")], [], [], [], [TextEvent("``"), TextEvent("x")]]


def test_blanks_before_an_object_do_not_make_it_another_reply():
    reader = FencedReader({}, ("second", whole))

    assert [reader.feed(piece) for piece in (" ", "\n", '{"a": 1}')] == [[], [], []]
    assert reader.close() == [TextEvent("said"), ProposalEvent(Proposal(0, "c"))]


def test_blank_lines_stay_in_code_and_in_a_block_that_is_shown():
    for text in ("```py\na\n\n\n\nb\n```", "```x\nno\n\n\n\nb\n```"):
        assert told(FencedReader({"x": ("first", two)}), text)
        assert merged(FencedReader({"x": ("first", two)}), [text]) == (text, [])


def test_the_blanks_that_a_block_stood_behind_go_with_it():
    shown, found = merged(FencedReader({"x": ("first", two)}), ["A\n  ```x\n```\nB"])

    assert (shown, len(found)) == ("A\nB", 2)
