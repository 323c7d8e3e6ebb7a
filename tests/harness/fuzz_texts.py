"""Make up what a model might say, by a grammar, by mutation and by chance, in every dialect."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import NamedTuple

from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects.actions import ACTIONS, write_instance
from tests.harness.wishes import Wisher

ENDS = ("\n", "\n", "\n", "\r\n", "\r")
NOISE = (
    "", "   ", "# a comment", "Sure, I will do that.", "```", "```text", "~~~", "Notify me tomorrow", "MOVE_FILE",
    "OPEN_APP Safari Notes Mail", 'SPEAK "never closed', "move_file ~/a ~/b", "DELETE_EVERYTHING now", "FILE_DELETE <",
    "COPY_FILE ~/a <<", "WRITE_FILE ~/a <<END", "  END  ", "END", 'SPEAK "x" # why', "SPEAK\u00a0x", "\ufeffSPEAK x",
    "1. SPEAK x", "- OPEN_APP Mail", '{"type": "file_delete", "path": "~"}', "SET_VOLUME 101", "SET_VOLUME 5",
    '"SPEAK" x', "SPEAK “a b”", "SPEAK „a“ b", "CREATE_FOLDER ~/x ~/y", "TAB_CLOSE [1,2]", "# No action needed",
    '```json-action\n{"type": "add_task", "text": "x"}\n```', '```json\n{"type": "add_task", "text": "x"}\n```',
    '```json-action\n{"type": "add_task"', '{"name": "file_delete", "input": {"path": "~/a"}}',
    '[{"name": "macos_auto"}]', '{"actions": [', "{}", "[]", "<actions>", '{"type": "tool_use"}',
    '{"commands": [{"type": "open_app", "app_name": "Mail"}], "needs_clarification": false}',
    '```action\n{"template_id": "t", "label": "Do it", "params": {}}\n```', "~~~json-action\n{}\n~~~",
    '{"function": {"name": "file_read", "arguments": "{\\"path\\": \\"~/a\\"}"}}',
)  # fmt: skip
ODD = "\x00\t\n\r\x0b\x0c\x1c\x85\u2028\u2029\u200b\u202e\ufeff\ud800\udfff\"'\\<#`~{}[]“”„-= \u00a0💾e\u0301"
CERTAIN: Sequence[tuple[str, Mapping[str, Json]]] = (
    ("file.write", {"path": "~/Documents/a.txt", "content": "one\ntwo\n"}),
    ("file.write", {"path": "~/Documents/a.txt", "content": "END\n END\nthree\n"}),
    ("habit.edit", {"target": "one", "new_text": "two", "interval_hours": 4}),
    ("template.run", {"to": "one", "n": 2}),
)
"""Wishes that every run begins with, in the dialects that can say them."""
ENDS_OF = {"lines": "\n"}
"""What stands after each wish where several may stand in one text; in other dialects a text is one wish."""
HOPELESS = 5
"""So often a dialect may be unable to say an operation before it counts as one that it has no words for."""
PIECES = ("<<END", "<<'END'", '"', '\\"', "\n", "\r\n", "\r", "```", "# ", "END\n", "\n\n", "<", " <<", "“", "”", "\\")


class Wish(NamedTuple):
    """An operation with arguments, and how a dialect writes it."""

    operation: str
    arguments: Mapping[str, Json]
    text: str


@dataclass(frozen=True)
class Said:
    """A text; `wishes` are all that it says where it was written and not damaged, else None."""

    text: str
    wishes: tuple[Wish, ...] | None


class Texts:
    """Draws texts of one dialect; each operation has its turn before any has a second one."""

    def __init__(self, dialect: Dialect, operations: Mapping[str, Operation], random: Random) -> None:
        self._failed: dict[str, int] = {}
        self._said: set[str] = set()
        self._never: set[str] = set()
        self._dialect = dialect
        self._operations = operations
        self._random = random
        self._wisher = Wisher(random)
        self._deck: list[str] = []

    @property
    def said(self) -> frozenset[str]:
        """Return the operations that the dialect could say by now."""
        return frozenset(self._said)

    def certain(self) -> Iterator[Said]:
        """Yield the texts that every run begins with, whatever its seed."""
        for text in (*NOISE, "\r\n".join(NOISE), "\n".join(NOISE), *PIECES):
            yield Said(text, None)
        end = ENDS_OF.get(self._dialect.name, "")
        for id_, arguments in CERTAIN:
            try:
                text = self._written_as(self._operations[id_], arguments)
            except ProposalError:
                continue
            yield Said(text + end, (Wish(id_, arguments, text),))

    def _written_as(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        if self._dialect is ACTIONS and operation.id == "template.run":
            return write_instance("t1", arguments, "Do it")
        return self._dialect.write(operation, arguments)

    def drawn(self) -> Said:
        """Return the next text: as it should be written, damaged, or nothing but chance."""
        kind = self._random.random()
        if kind < 0.4:
            return self._written()
        if kind < 0.9:
            return Said(self._damaged(self._noisy()), None)
        return Said(self._chance(), None)

    def _written(self) -> Said:
        end = ENDS_OF.get(self._dialect.name)
        wishes = tuple(self._wishes(1 if end is None else self._random.randint(1, 4)))
        return Said("".join(f"{wish.text}{end or ''}" for wish in wishes), wishes)

    def _noisy(self) -> str:
        lines: list[str] = []
        for wish in self._wishes(self._random.randint(0, 3)):
            lines += self._random.choices(NOISE, k=self._random.randint(0, 2))
            lines.append(wish.text)
        lines += self._random.choices(NOISE, k=self._random.randint(0, 3))
        end = self._random.choice(ENDS)
        return end.join(lines).replace("\n", end) if end != "\r\n" else "\n".join(lines).replace("\n", end)

    def _wishes(self, count: int) -> Iterator[Wish]:
        for _ in range(10 * count):
            if not count:
                return
            if not self._deck:
                self._deck = sorted(self._operations.keys() - self._never)
                self._random.shuffle(self._deck)
            if not self._deck:
                return
            operation = self._operations[self._deck.pop()]
            arguments = self._wisher.arguments(operation)
            try:
                wish = Wish(operation.id, arguments, self._written_as(operation, arguments))
            except ProposalError:
                self._failed[operation.id] = self._failed.get(operation.id, 0) + 1
                if self._failed[operation.id] > HOPELESS and operation.id not in self._said:
                    self._never.add(operation.id)
            else:
                self._said.add(operation.id)
                yield wish
                count -= 1

    def _damaged(self, text: str) -> str:
        for _ in range(self._random.randint(0, 4)):
            at = self._random.randint(0, len(text))
            until = min(len(text), at + self._random.choice([1, 1, 2, 5, 20]))
            match self._random.randrange(6):
                case 0:
                    text = text[:at] + text[until:]
                case 1:
                    text = text[:at] + self._random.choice(ODD) + text[at:]
                case 2:
                    text = text[:at] + self._random.choice(PIECES) + text[at:]
                case 3:
                    text = text[:at] + text[at:until] * self._random.choice([2, 3, 40]) + text[until:]
                case 4:
                    text = text[:at]
                case _:
                    text = text[at:] + text[:at]
        return text

    def _chance(self) -> str:
        size = self._random.choice([1, 3, 20, 200, 1000])
        if self._random.random() < 0.5:
            return self._random.randbytes(size).decode("utf-8", "surrogateescape")
        return "".join(self._random.choices((*ODD, *PIECES, "SPEAK", "MOVE_FILE", "WRITE_FILE ~/a", "x"), k=size))


def cuts(text: str, random: Random) -> Iterator[list[str]]:
    """Yield ways to cut a text: every character, every place where a line end could part, and by chance."""
    yield list(text)
    yield _at(text, [at for at in range(1, len(text)) if {text[at - 1], text[at]} & {"\r", "\n", "<", '"', "\\"}])
    for most in (4, 64):
        places = sorted({random.randint(0, len(text)) for _ in range(random.randint(1, most))})
        yield _at(text, places)


def _at(text: str, places: list[int]) -> list[str]:
    whole = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(whole)]
