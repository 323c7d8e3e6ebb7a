"""Check what every reader must satisfy for any text and any cut, with oracles that use none of sayso's own code."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from random import Random
from typing import Any, cast

import rfc8785

from sayso.core.dialect import Clarification, Dialect, Event, ProposalEvent, TextEvent
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from tests.harness.fuzz_texts import Said, Texts, Wish, cuts
from tests.harness.long_run import Run
from tests.harness.wishes import faults


def heard(dialect: Dialect, operations: Mapping[str, Operation], pieces: Sequence[str]) -> list[Event]:
    """Feed the pieces to a new reader and return what it told, with neighbouring texts put together."""
    out: list[Event] = []
    for is_text, events in groupby(told(dialect, operations, pieces), lambda event: isinstance(event, TextEvent)):
        if is_text:
            text = "".join(event.text for event in events if isinstance(event, TextEvent))
            out += [TextEvent(text)] if text else []
        else:
            out += events
    return out


def told(dialect: Dialect, operations: Mapping[str, Operation], pieces: Sequence[str]) -> list[Event]:
    """Feed the pieces to a new reader and return what it told, as it told it."""
    reader = dialect.reader(operations)
    return [*(event for piece in pieces for event in reader.feed(piece)), *reader.close()]


def told_before_the_end(dialect: Dialect, operations: Mapping[str, Operation], text: str) -> list[Proposal]:
    """Return what is proposed while the text is still coming in."""
    return proposals(dialect.reader(operations).feed(text))


def fault_of(look: Callable[[], object]) -> Exception | None:
    """Do something and return what it ended with; None when it just ended."""
    try:
        look()
    except Exception as fault:  # noqa: BLE001 - whatever comes out of a reader or writer is what is looked for
        return fault
    return None


def proposals(events: Sequence[Event]) -> list[Proposal]:
    """Return the proposals among events."""
    return [event.proposal for event in events if isinstance(event, ProposalEvent)]


def is_half(beginning: str) -> bool:
    """Say whether what was cut off here can never be taken for whole: within quotes or a text over several lines.

    A single line needs no line end, so that its beginning may be a shorter line.
    """
    first, more, _ = beginning.partition("\n")
    return bool(more) or first.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 1


def meant(proposal: Proposal) -> tuple[str | None, bytes, str | None]:
    """Return what a proposal comes to: operation, arguments, and what is wrong with it."""
    return proposal.operation, canonical(proposal.arguments), proposal.problem


def canonical(arguments: Mapping[str, Json]) -> bytes:
    """Return arguments in the canonical JSON of a library that is not ours; odd characters are spelled out."""
    return rfc8785.dumps(_spelled(dict(arguments)))


def _spelled(value: Any) -> Any:
    match value:
        case str():
            return value.encode("unicode_escape").decode("ascii")
        case bool() | None:
            return value
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() else repr(value)
        case dict():
            members = cast("dict[str, Any]", value)
            return {key: _spelled(item) for key, item in members.items()}
        case list() | tuple():
            return [_spelled(item) for item in cast("list[Any]", value)]
        case _:
            return repr(value)


def filled(text: str, length: int) -> str:
    """Return a text repeated to a length."""
    return (text * (length // len(text) + 1))[:length]


TIMES = 8
BOUND = 3 * TIMES
"""A reader that is not linear takes TIMES squared as long for a text TIMES as long; the best of three tries counts."""
_TICK = 0.001

SLOW = ('SPEAK "a “b” \\" ', '```json-action\n{"text": "a\\n `', '{"commands": [{"a": "b', "`a ", "a\n", "<<A ")
"""What a reader that is not linear would be slow with, many times over."""

_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"`{3,}[^`]*|~{3,}.*", re.DOTALL)
_WORDS = re.compile(r"\w+")


class Readers:
    """Feeds one dialect's readers with made-up texts and writes down what does not hold."""

    def __init__(
        self, run: Run, dialect: Dialect, operations: Mapping[str, Operation], seed: int, *, timing: bool
    ) -> None:
        self._run = run
        self._timing = timing
        self._dialect = dialect
        self._operations = operations
        self._random = Random(f"{seed} {dialect.name}")
        self._texts = Texts(dialect, operations, self._random)
        self.read: set[str] = set()
        self.codes: set[str] = set()

    @property
    def can_say(self) -> bool:
        """Say whether the dialect has words for any operation at all."""
        return bool(self._texts.said)

    def begin(self) -> None:
        """Hold everything against the texts that each run begins with."""
        for said in self._texts.certain():
            self.held(said)
            self._safely(said.text, partial(self._no_half, said, range(len(said.text))))
        for text in SLOW if self._timing else ():
            if not (self._run.planted and self._run.broken):
                self._grows(text, 2**11)

    def one(self) -> None:
        """Make up one text and hold everything against it."""
        self.held(self._texts.drawn())

    def held(self, said: Said) -> None:
        self._run.count("texts")
        self._safely(said.text, partial(self._all_held, said))

    def _safely(self, text: str, look: Callable[[], None]) -> None:
        fault = fault_of(look)
        if fault is not None:
            self._wrong(text, f"reading or writing ended with {fault!r}")

    def _all_held(self, said: Said) -> None:
        events = heard(self._dialect, self._operations, [said.text])
        self._same_however_cut(said.text, events)
        self._counted_in_order(said.text, events)
        if self._dialect.name == "lines":
            self._nothing_dropped(said.text, events)
        asks_back = any(isinstance(event, Clarification) for event in events)
        for proposal in proposals(events) if not asks_back else ():  # then nothing of it is done (S4-13)
            self._as_it_may_be(said.text, proposal)
        if said.wishes:
            self._as_written(said, events)
            length = max(0, len(said.text) - 1)
            self._no_half(said, sorted({self._random.randint(0, length) for _ in range(8)}))

    def _no_half(self, said: Said, places: Iterable[int]) -> None:
        if said.wishes and self._dialect.name == "lines":
            self._no_half_line(said.text, said.wishes, places)
        elif said.wishes:
            self._no_half_block(said.text, said.wishes, places)

    def timed(self) -> None:
        """Hold that work grows with the length of some text and no faster."""
        if self._timing:
            self._grows("".join(self._texts.drawn().text for _ in range(3)) or "x", 2**13)

    def _grows(self, text: str, whole: int) -> None:
        """Hold that work grows with the length of a text and no faster; whole, and character by character."""
        self._run.count("timed")
        for variant in (text, _END.sub(" ", text)):
            for size, by_character in ((whole, False), (2**8, True)):
                small, large = (filled(variant, length) for length in (size, size * TIMES))
                if not any(self._is_linear(small, large, by_character) for _ in range(3)):
                    self._wrong(variant, f"a text {TIMES} times as long takes more than {BOUND} times as long to read")
                    return

    def _is_linear(self, small: str, large: str, by_character: bool) -> bool:
        before = min(self._once(list(small) if by_character else [small]) for _ in range(2))
        return self._once(list(large) if by_character else [large]) <= BOUND * max(before, _TICK)

    def _once(self, pieces: list[str]) -> float:
        before = time.thread_time()
        told(self._dialect, self._operations, pieces)
        return time.thread_time() - before

    def _same_however_cut(self, text: str, events: list[Event]) -> None:
        for pieces in cuts(text, self._random):
            self._run.count("cuts")
            if heard(self._dialect, self._operations, pieces) != events:
                self._wrong(text, f"cut as {pieces!r:.300} it says something else")
                return

    def _counted_in_order(self, text: str, events: list[Event]) -> None:
        indexes = [proposal.index for proposal in proposals(events)]
        if indexes != list(range(len(indexes))):
            self._wrong(text, f"proposals are numbered {indexes}")

    def _nothing_dropped(self, text: str, events: list[Event]) -> None:
        """Go through the lines of a text: each is blank, a comment, a fence, or said by the next proposal.

        A comment or a fence that opens a heredoc is said, with all of it, so that its body is not read as commands.
        """
        rest = [proposal.said for proposal in proposals(events)][::-1]
        at = 1 if text.startswith("\ufeff") else 0
        while at < len(text):
            end = _END.search(text, at)
            line = text[at : end.start() if end else len(text)]
            bare = line.strip(" \t")
            begin = at + len(line) - len(line.lstrip(" \t"))
            at = end.end() if end else len(text)
            wanted = rest[-1] if rest else ""
            opens = "<<" in bare and wanted.startswith(bare)
            if not bare or (not opens and (bare[0] == "#" or _FENCE.fullmatch(bare))):
                continue
            if not rest or not text.startswith(wanted, begin):
                self._wrong(text, f"nothing tells of {bare!r:.80}")
                return
            rest.pop()
            over = _END.search(text, begin + len(wanted))
            if text[begin + len(wanted) : over.start() if over else len(text)].strip(" \t"):
                self._wrong(text, f"{wanted!r:.80} leaves a part of its last line out")
            at = over.end() if over else len(text)
        if rest:
            self._wrong(text, f"{rest[-1]!r:.80} stands nowhere")

    def _as_it_may_be(self, text: str, proposal: Proposal) -> None:
        """Hold that a proposal has a reason, or is complete and valid, of the text's own words, and writes back."""
        if (proposal.problem is None) != (proposal.code is None) or (proposal.operation or proposal.problem) is None:
            self._wrong(text, f"neither understood nor told why: {proposal!r:.200}")
        self.codes.add(proposal.code or "")
        if proposal.problem is not None or proposal.operation is None:
            return
        if proposal.template_id is not None:  # its arguments are those of the person's own action
            self.read.add(proposal.operation)
            return
        operation = self._operations.get(proposal.operation)
        wrong = ["there is no such operation"] if operation is None else faults(operation, proposal.arguments)
        if wrong or operation is None:
            self._wrong(text, f"proposed, and not valid: {'; '.join(wrong)[:200]}")
            return
        self.read.add(operation.id)
        self._run.count("valid proposals")
        self._own_words(text, operation, proposal)
        if self._dialect.name == "lines":
            self._all_words(text, proposal)
        self._writes_back(text, operation, proposal)

    def _own_words(self, text: str, operation: Operation, proposal: Proposal) -> None:
        plain = text.casefold()
        known = (plain, plain.replace('"', "").replace("\\", ""))
        schemas = {parameter.name: str(parameter.schema).casefold() for parameter in operation.parameters}
        for name, value in proposal.arguments.items():
            words = _WORDS.findall(value.casefold()) if isinstance(value, str) and "\\u" not in plain else []
            for word in words:
                if not any(word in source for source in known) and f"'{word}'" not in schemas[name]:
                    self._wrong(text, f"{name} of {operation.id} holds {word!r:.40}, which nobody said")

    def _all_words(self, text: str, proposal: Proposal) -> None:
        """Hold that no word of a plain line was left out of its arguments."""
        if any(sign in proposal.said for sign in ("\\", "#", "<<", "\n", "\r")):
            return
        meant = str(dict(proposal.arguments)).casefold()
        for word in _WORDS.findall(proposal.said.casefold())[1:]:
            if word[0].isalpha() and word not in meant:
                self._wrong(text, f"{word!r:.40} of {proposal.said!r:.80} was left out")

    def _writes_back(self, text: str, operation: Operation, proposal: Proposal) -> None:
        try:
            written = self._dialect.write(operation, proposal.arguments)
        except ProposalError:
            self._run.count("unsayable")
            return
        again = proposals(heard(self._dialect, self._operations, [written]))
        if [meant(one) for one in again] != [meant(proposal)]:
            self._wrong(text, f"written as {written!r:.120} it says something else")

    def _as_written(self, said: Said, events: list[Event]) -> None:
        wanted = [(wish.operation, canonical(wish.arguments), None) for wish in said.wishes or ()]
        found = proposals(events)
        # A dialect may ask for more than the schema does: one of two arguments, say. Then it tells so.
        stricter = self._dialect.name != "lines" and [one.operation for one in found] == [one[0] for one in wanted]
        if stricter and all(one.problem for one in found):
            self._run.count("refused by the dialect")
        elif [meant(proposal) for proposal in found] != wanted:
            self._wrong(said.text, "what was written is not what is read")

    def _no_half_block(self, text: str, wishes: tuple[Wish, ...], places: Iterable[int]) -> None:
        """Cut a good text off: before its last bracket nothing is proposed that could run, after it the wish."""
        wanted = [(wish.operation, canonical(wish.arguments), None) for wish in wishes]
        for at in places:
            self._run.count("cut off")
            before = told_before_the_end(self._dialect, self._operations, text[:at])
            found = proposals(heard(self._dialect, self._operations, [text[:at]]))
            valid = [meant(one) for one in (*before, *found) if one.problem is None]
            if valid and (at <= text.rfind("}") or any(one not in wanted for one in valid)):
                self._wrong(text[:at], "cut off here, it proposes half of what was to come, or something else")

    def _no_half_line(self, text: str, wishes: tuple[Wish, ...], places: Iterable[int]) -> None:
        """Cut a good text off: what had not come to its end is not proposed, and nothing else changes."""
        ends = [0]
        for wish in wishes:
            ends.append(ends[-1] + len(wish.text) + 1)
        for at in places:
            whole = sum(end <= at for end in ends) - 1
            wanted = [(wish.operation, canonical(wish.arguments), None) for wish in wishes[:whole]]
            self._run.count("cut off")
            before = [meant(one) for one in told_before_the_end(self._dialect, self._operations, text[:at])]
            if before != wanted:
                self._wrong(text[:at], "before its end came, something else is proposed than what was complete")
            found = [
                meant(one)
                for one in proposals(heard(self._dialect, self._operations, [text[:at]]))
                if one.problem is None
            ]
            rest = wishes[whole].text[: at - ends[whole]] if whole < len(wishes) else ""
            more = whole < len(wishes) and (rest == wishes[whole].text or not is_half(rest))
            if found[: len(wanted)] != wanted or len(found) > len(wanted) + more:
                self._wrong(text[:at], "cut off here, it proposes half of what was to come")

    def _wrong(self, text: str, what: str) -> None:
        self._run.breach(f"{self._dialect.name}: {what}, in {text!r:.300}")


_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_OF_WORDS = re.compile(r'\\([nrt"\\“”„])')
"""What a backslash stands before in the line dialect; before anything else it is itself."""
_NUMBER = re.compile(r"(-?[0-9]+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_QUOTES = re.compile(r'["\\“”„«»]')


class Literals:
    """The texts and numbers that a text can be said to hold: as it stands, and with escapes undone once or twice."""

    def __init__(self, text: str, *, words: bool = False) -> None:
        """Take a text; with `words`, quotes may stand within what a text of it is made of, as in the line dialect."""
        self._text = text
        self._words = words

    def invented(self, value: Any) -> Iterator[str]:
        """Yield each text and number of a value that does not stand in the text."""
        if isinstance(value, Mapping):
            members = cast("Mapping[str, Any]", value)
            value = [*members, *members.values()]
        if isinstance(value, list | tuple):
            for item in cast("list[Any]", value):
                yield from self.invented(item)
        elif not self._holds(value):
            yield repr(value)

    def _holds(self, value: Any) -> bool:
        if isinstance(value, str):
            return any(value in level for level in self._levels) or (self._words and self._unquoted(value))
        return value is None or isinstance(value, bool) or value in self._numbers

    def _unquoted(self, value: str) -> bool:
        """Say whether a value stands in the text but for quotes, within which a backslash means something else."""
        ways = [_QUOTES.sub("", way) for way in (value, _OF_WORDS.sub(_character, value))]
        return any(way in _QUOTES.sub("", level) for way in ways for level in self._levels)

    @cached_property
    def _levels(self) -> tuple[str, ...]:
        """As it stands; with one kind of line end; as JSON; as JSON in a text of JSON; as words, and JSON in them."""
        text = self._text
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        levels = {text: 0, plain: 0}
        if "\\" in text:
            once = unescaped(text)
            levels |= {once: 0, unescaped(once): 0}
            if self._words:
                glued = "\n".join(_glued(line) for line in plain.split("\n"))
                levels |= {_OF_WORDS.sub(_character, plain): 0, glued: 0, unescaped(glued): 0}
        return tuple(levels)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        found = (number for level in self._levels for number in _NUMBER.findall(level))
        return frozenset(float(whole + rest) if rest else int(whole) for whole, rest in found)


def _glued(line: str) -> str:
    """Undo the escapes of a line within its quotes alone, and leave the quotes out, so that pieces of a word meet."""
    found: list[str] = []
    within = escaped = False
    for char in line:
        if escaped:
            found.append({"n": "\n", "t": "\t"}.get(char, char) if char in 'nt"\\' else f"\\{char}")
            escaped = False
        elif char == '"':
            within = not within
        elif within and char == "\\":
            escaped = True
        else:
            found.append(char)
    return "".join(found)


def unescaped(text: str) -> str:
    """Undo the escapes of JSON wherever they stand, and put the halves of character pairs together."""
    undone = _ESCAPE.sub(_character, text)
    return undone.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _character(escape: re.Match[str]) -> str:
    said = escape[1]
    return chr(int(said[1:], 16)) if len(said) > 1 else _SHORT.get(said, said)
