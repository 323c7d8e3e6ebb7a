"""The tests that every dialect must pass; the dialect's test class inherits them."""

import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, ClassVar, Self

from sayso.core.dialect import Dialect, Event, ProposalEvent, TextEvent
from sayso.core.encoding import Json, canonical
from sayso.core.operation import Operation

TIMES = 4
BOUND = 2 * TIMES
"""The most that the cost may grow when a text is TIMES as long; for a quadratic reader it grows by TIMES squared."""
_LEAST = 16
"""Cost per character that is always allowed."""
_LITTLE = 512
"""Bytes that any line of code may allocate without being counted; a copy of a growing text takes more."""
REMARKS = (
    "left out:\ntwo lines\n\nand a third",
    "```json-action\n{}\n```",
    "~~~~\n```json",
    "left out: ```json-action",
    "{",
    'left out:\nWRITE_DOC "~/a" <<END\none\n\n“two” <<END\nEND',
)
"""Remarks to a person that are written beside proposals, including awkward ones."""


class DialectSuite:
    """A test class inherits these tests, and defines `dialect`, `operations`, `texts`, `wishes` and `slow`.

    ```python
    class TestLines(DialectSuite):
        dialect = LINES
        operations = OPERATIONS
        texts = ('SPEAK "x"', …)  # short ones, with every awkward form among them
        wishes = (("speech.say", {"text": "x"}), …)  # operations and arguments that the dialect can write
        slow = (lambda size: "<" * size, …)  # make texts of this size that may be slow to read
    ```
    """

    dialect: ClassVar[Dialect]
    operations: ClassVar[Mapping[str, Operation]]
    texts: ClassVar[Sequence[str]]
    wishes: ClassVar[Sequence[tuple[str, Mapping[str, Json]]]]
    slow: ClassVar[Sequence[Callable[[int], str]]]
    size: ClassVar[int] = 2**9
    """Length of the shorter of the two texts that each function of `slow` makes."""

    def test_any_cut_gives_the_same_events(self) -> None:
        """Cut each text in two at every place, and into pieces of every small size; the events stay the same."""
        for text in self.texts:
            whole = read(self.dialect, self.operations, [text])
            for pieces in cuts(text):
                _equal(read(self.dialect, self.operations, pieces), whole, f"{text!r} cut as {pieces!r}")

    def test_what_was_told_stays_told(self) -> None:
        """Read every beginning of each text; its events are the first events of the whole text."""
        for text in self.texts:
            whole = read(self.dialect, self.operations, [text])
            for end in range(len(text) + 1):
                told = merge_texts(self.dialect.reader(self.operations).feed(text[:end]))
                if not _begins(told, whole):
                    raise AssertionError(f"{text[:end]!r} tells {told}, and {text!r} takes it back: {whole}")

    def test_nothing_can_be_approved_before_its_block_is_closed(self) -> None:
        """Read each written wish without its last character; nothing is proposed yet."""
        for id_, arguments in self.wishes:
            text = self.dialect.write(self.operations[id_], arguments)
            told = self.dialect.reader(self.operations).feed(text[:-1])
            _equal([event for event in told if isinstance(event, ProposalEvent)], [], f"{text[:-1]!r}")

    def test_proposals_are_counted_in_their_order(self) -> None:
        """Check the index of each proposal, and that each problem has a code."""
        for text in self.texts:
            proposals = proposals_in(read(self.dialect, self.operations, [text]))
            _equal([found.proposal.index for found in proposals], list(range(len(proposals))), f"{text!r}")
            for found in proposals:
                if (found.proposal.problem is None) != (found.proposal.code is None):
                    raise AssertionError(f"a problem and its code come together: {found.proposal}")
                if found.proposal.operation is None and found.proposal.problem is None:
                    raise AssertionError(f"what could not be understood says why: {found.proposal}")

    def test_what_is_written_is_read_back(self) -> None:
        """Write each wish and read it back: one proposal with the same operation and the same arguments."""
        for id_, arguments in self.wishes:
            text = self.dialect.write(self.operations[id_], arguments)
            proposals = [found.proposal for found in proposals_in(read(self.dialect, self.operations, [text]))]
            found = [(one.operation, canonical(one.arguments), one.problem) for one in proposals]
            _equal(found, [(id_, canonical(arguments), None)], f"{text!r}")

    def test_what_is_written_together_is_read_back(self) -> None:
        """Write all wishes as one text, with remarks around each; exactly these wishes are read back in order."""
        written = [self.dialect.write(self.operations[id_], arguments) for id_, arguments in self.wishes]
        remarks = [remark for text in (*REMARKS, *written) if (remark := self.dialect.remark(text))]
        for parts in (written, [part for text in written for part in (*remarks, text)], remarks):
            text = self.dialect.together(parts)
            proposals = [found.proposal for found in proposals_in(read(self.dialect, self.operations, [text]))]
            found = [(one.operation, canonical(one.arguments), one.problem) for one in proposals]
            wanted = [] if parts is remarks else [(id_, canonical(said), None) for id_, said in self.wishes]
            _equal(found, wanted, f"{text!r}")

    def test_an_empty_text_says_nothing(self) -> None:
        """Feed no text at all, and empty pieces."""
        _equal(read(self.dialect, self.operations, []), [], "no text")
        _equal(read(self.dialect, self.operations, ["", ""]), [], "empty pieces")

    def test_only_the_operations_at_hand_are_known(self) -> None:
        """Read each wish without its operation in the catalogue; no operation is recognised."""
        for id_, arguments in self.wishes:
            text = self.dialect.write(self.operations[id_], arguments)
            others = {other: found for other, found in self.operations.items() if other != id_}
            proposals = proposals_in(read(self.dialect, others, [text]))
            _equal([found.proposal.operation for found in proposals if found.proposal.operation], [], f"{text!r}")

    def test_the_cost_grows_with_the_length_and_no_faster(self) -> None:
        """Measure the lines run and the memory taken for a text and one TIMES as long, fed whole and by character."""
        for make in self.slow:
            for step in (0, 1):
                small, large = self._cost(make(self.size), step), self._cost(make(self.size * TIMES), step)
                for few, many, what in zip(small, large, ("lines of code", "bytes of memory"), strict=True):
                    if many > BOUND * max(few, _LEAST * self.size):
                        raise AssertionError(
                            f"{make(20)!r}… takes {many:,} {what} for a text {TIMES} times as long as one of {few:,}"
                        )

    def _cost(self, text: str, step: int) -> tuple[int, int]:
        pieces = [text[at : at + step] for at in range(0, len(text), step)] if step else [text]
        reader = self.dialect.reader(self.operations)
        with Counted() as counted:
            for piece in pieces:
                reader.feed(piece)
            reader.close()
        return counted.lines, counted.taken


class Counted:
    """Counts the lines of code that run, and the memory of lines that allocate much, even if they free it at once."""

    def __init__(self) -> None:
        self.lines = self.taken = 0
        self._held = 0

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        tracemalloc.start()
        sys.settrace(self._step)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        tracemalloc.stop()

    def _step(self, frame: FrameType, event: str, _: Any) -> "Callable[[FrameType, str, Any], Any]":
        held, most = tracemalloc.get_traced_memory()
        self.lines += 1
        self.taken += most - self._held if most - self._held > _LITTLE else 0
        self._held = held
        tracemalloc.reset_peak()
        return self._step


def read(dialect: Dialect, operations: Mapping[str, Operation], pieces: Iterable[str]) -> list[Event]:
    """Feed the pieces to a new reader, close it, and return its events with neighbouring texts joined."""
    reader = dialect.reader(operations)
    events = [event for piece in pieces for event in reader.feed(piece)]
    return merge_texts([*events, *reader.close()])


def merge_texts(events: Iterable[Event]) -> list[Event]:
    """Join texts that follow one another, and leave out empty ones."""
    out: list[Event] = []
    for event in events:
        last = out[-1] if out else None
        if isinstance(event, TextEvent) and isinstance(last, TextEvent):
            out[-1] = TextEvent(last.text + event.text)
        elif event != TextEvent(""):
            out.append(event)
    return out


def proposals_in(events: Iterable[Event]) -> list[ProposalEvent]:
    """Return the proposals among events."""
    return [event for event in events if isinstance(event, ProposalEvent)]


def cuts(text: str) -> Iterator[list[str]]:
    """Yield each cut of a text into two pieces, and its cuts into pieces of 1, 2, 3, 5 and 8 characters."""
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]
    for size in (1, 2, 3, 5, 8):
        yield [text[at : at + size] for at in range(0, len(text), size)]


def _begins(told: Sequence[Event], whole: Sequence[Event]) -> bool:
    if told and isinstance(told[-1], TextEvent) and len(told) <= len(whole):
        last = whole[len(told) - 1]
        same = list(told[:-1]) == list(whole[: len(told) - 1])
        return same and isinstance(last, TextEvent) and last.text.startswith(told[-1].text)
    return list(told) == list(whole[: len(told)])


def _equal(found: object, wanted: object, about: str) -> None:
    if found != wanted:
        raise AssertionError(f"{about}:\n  found  {found}\n  wanted {wanted}")
