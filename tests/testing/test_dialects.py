"""The suite for dialects passes one that keeps its promises and finds each promise broken."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import pytest
from msgspec.structs import replace

from sayso.core.dialect import Event, ProposalEvent, TextEvent, WarningEvent
from sayso.core.encoding import Json
from sayso.core.operation import Operation, operation
from sayso.core.plan import Plan
from sayso.core.proposal import Proposal
from sayso.core.schema import Line
from sayso.testing.dialects import DialectSuite, cuts, merge_texts


@operation("wish.make", kind="write", asks="none")
async def make(text: Line) -> Plan:
    """Make a wish."""
    return Plan(text)


class Stars:
    """A dialect of one operation: `*wish.make text*`; all else is shown."""

    def __init__(self, known: Mapping[str, Operation]) -> None:
        self.known = known
        self.held = ""
        self.inside = False
        self.count = 0

    def feed(self, chunk: str) -> list[Event]:
        events: list[Event] = []
        for character in chunk:
            if character == "*":
                events += [self.told(self.held)] if self.inside else []
                self.inside, self.held = not self.inside, ""
            elif self.inside:
                self.held += character
            else:
                events.append(TextEvent(character))
        return events

    def told(self, held: str) -> Event:
        index, self.count = self.count, self.count + 1
        id_, _, text = held.partition(" ")
        if id_ not in self.known:
            return ProposalEvent(Proposal(index, held, problem="unknown", code="unknown"))
        return ProposalEvent(Proposal(index, held, id_, {"text": text}))

    def close(self) -> list[Event]:
        return [WarningEvent("a star is missing")] if self.inside else []


class Forgetful(Stars):
    def feed(self, chunk: str) -> list[Event]:
        self.inside, self.held = False, ""
        return super().feed(chunk)


class Chatty(Stars):
    def close(self) -> list[Event]:
        return [*super().close(), WarningEvent("goodbye")]


class TakesBack(Stars):
    def feed(self, chunk: str) -> list[Event]:
        events = super().feed(chunk)
        return [*events, WarningEvent("a star may be missing")] if self.inside else events


class Hasty(Stars):
    def feed(self, chunk: str) -> list[Event]:
        events = super().feed(chunk)
        return [*events, self.told(self.held)] if self.inside else events


class Uncounted(Stars):
    def told(self, held: str) -> Event:
        self.count = 7
        return super().told(held)


class Speechless(Stars):
    def told(self, held: str) -> Event:
        event = super().told(held)
        assert isinstance(event, ProposalEvent)
        return ProposalEvent(replace(event.proposal, code=None))


class Credulous(Stars):
    def told(self, held: str) -> Event:
        self.known = {"wish.make": make}
        return super().told(held)


class Mumbling(Stars):
    def told(self, held: str) -> Event:
        return super().told(held.lower())


class Rereading(Stars):
    def __init__(self, known: Mapping[str, Operation]) -> None:
        super().__init__(known)
        self.all: list[str] = []

    def feed(self, chunk: str) -> list[Event]:
        self.all.append(chunk)
        "".join(self.all)
        return super().feed(chunk)


class Starry:
    """The dialect around a reader."""

    all_or_nothing: ClassVar[bool] = False
    exact_names: ClassVar[bool] = False
    in_chat: ClassVar[bool] = False

    def __init__(self, reader: Callable[[Mapping[str, Operation]], Stars] = Stars) -> None:
        self.name = "stars"
        self._reader = reader

    def reader(self, operations: Mapping[str, Operation]) -> Stars:
        return self._reader(operations)

    def describe(self, operations: Sequence[Operation]) -> str:
        return "Write *wish.make text*."

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        return f"*{operation.id} {arguments['text']}*"

    def remark(self, text: str) -> str:
        return text.replace("*", "°")

    def together(self, parts: Sequence[str]) -> str:
        return " ".join(parts)


class Lossy(Starry):
    def together(self, parts: Sequence[str]) -> str:
        return " ".join(parts[:-1])


class Careless(Starry):
    def remark(self, text: str) -> str:
        return text


class TestStars(DialectSuite):
    dialect = Starry()
    operations = MappingProxyType({"wish.make": make})
    texts = ("a *wish.make b* c", "*fly x* *wish.make y*", "a * b")
    wishes = (("wish.make", {"text": "A star"}),)
    slow = (lambda size: "a" * size,)


@pytest.mark.parametrize(
    ("reader", "promise"),
    [
        (Forgetful, "test_any_cut_gives_the_same_events"),
        (TakesBack, "test_what_was_told_stays_told"),
        (Hasty, "test_nothing_can_be_approved_before_its_block_is_closed"),
        (Uncounted, "test_proposals_are_counted_in_their_order"),
        (Speechless, "test_proposals_are_counted_in_their_order"),
        (Mumbling, "test_what_is_written_is_read_back"),
        (Chatty, "test_an_empty_text_says_nothing"),
        (Credulous, "test_only_the_operations_at_hand_are_known"),
        (Rereading, "test_the_cost_grows_with_the_length_and_no_faster"),
    ],
)
def test_a_broken_promise_is_found(reader: type[Stars], promise: str):
    class Broken(TestStars):
        dialect = Starry(reader)

    with pytest.raises(AssertionError):
        getattr(Broken(), promise)()


@pytest.mark.parametrize("dialect_", [Lossy(), Careless()])
def test_what_is_lost_or_added_when_it_is_written_together_is_found(dialect_: Starry):
    class Broken(TestStars):
        dialect = dialect_

    with pytest.raises(AssertionError):
        Broken().test_what_is_written_together_is_read_back()


def test_neighbouring_texts_are_one_and_every_cut_is_a_cut_of_the_whole():
    a, b, c = (TextEvent(text) for text in "abc")

    events = merge_texts([a, TextEvent(""), b, WarningEvent("w"), TextEvent(""), c])

    assert events == [TextEvent("ab"), WarningEvent("w"), c]
    assert all("".join(pieces) == "abcdefghij" for pieces in cuts("abcdefghij"))
    assert len(list(cuts("abcdefghij"))) == 9 + 5
