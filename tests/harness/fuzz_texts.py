"""Generate model replies in every dialect: from a grammar, from proposals in frames, and by mutation."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects.actions import ACTIONS, write_instance
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.commands import COMMANDS
from sayso.dialects.tools import TOOLS
from tests.harness.wishes import LINES, Wisher

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


PROSE = (
    "",
    "Sure.",
    "Here is *what* I would do:\n\n",
    "日本 é 😀\n",
    "# Plan\n\n\n\n- `one`\n- two\n",
    "> quoted\n\n",
    "a ``` b\n",
)
CODE = (
    "```py\nprint(1)\n```\n", "~~~\n```json-action\n{}\n```\n~~~\n", "````md\n```json\n[1]\n```\n````\n",
    '```json\n{"a": [1, 2]}\n```\n', "```json5\n{}\n```\n", "```\n\n\n\n```\n", "`x` ``y`` ~~~~ z\n",
    "> ```json-action\n> {}\n> ```\n", "```json-action x\n{}\n```\n", "```json-actions\n{}\n```\n", "```json", "``",
    "```\n\r```n\n", "~~~\n\r~~~\n",
)  # fmt: skip
FENCES = ("```", "```", "```", "~~~", "````")
REASONS = (None, "Which one?", "é")
WRONG = (
    '"commands": {}',
    '"needs_clarification": "yes"',
    '"clarification_reason": 5',
    '"commands": [[], 1]',
    '"why": 0',
)


class Frames:
    """Puts JSON objects of a dialect into its forms."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def of(self, name: str, objects: Sequence[str]) -> str:
        """Return a reply that holds these objects, each the JSON of one wish of the dialect."""
        return FORMS[name](self, objects)

    def blocks(self, objects: Sequence[str]) -> str:
        """Write a chat reply: a block for each object, or one for all."""
        draw = self._random
        if len(objects) > 1 and draw.random() < 0.3:
            return self._prose() + self._fenced("json-action", f"[{', '.join(objects)}]") + self._prose()
        parts = [self._prose()]
        for one in objects:
            parts += [self._fenced("json-action", one), self._prose()]
        return "".join(parts)

    def actions(self, objects: Sequence[str]) -> str:
        """Write an envelope: fenced, or as the whole reply, alone or beside its content."""
        draw = self._random
        listed = f'"actions": [{", ".join(objects)}]'
        kind = draw.randrange(5)
        if kind == 0:
            return f"{{{listed}}}"
        if kind == 1:
            return f'{{"type": "actions", {listed}}}'
        if kind == 2:
            return f'{{"content": {json.dumps(self._prose(), ensure_ascii=draw.random() < 0.5)}, {listed}}}'
        return self._prose() + self._fenced("json", f"{{{listed}}}") + self._prose()

    def commands(self, objects: Sequence[str]) -> str:
        """Write the contract of commands: bare or in a code fence."""
        draw = self._random
        asks = draw.random() < 0.1
        document = f'"commands": [{", ".join(objects)}]'
        if draw.random() < 0.8:
            document += f', "needs_clarification": {json.dumps(asks)}'
        if draw.random() < 0.8:
            document += f', "clarification_reason": {json.dumps(draw.choice(REASONS))}'
        if draw.random() < 0.05:
            document = draw.choice((document, '"commands": []')) + ", " + draw.choice(WRONG)
        return self._whole(f"{{{document}}}" if draw.random() < 0.98 else draw.choice(("[]", "{}", "", " ", "3")))

    def tools(self, objects: Sequence[str]) -> str:
        """Write calls in any of the forms that interfaces return them in; each object has `name` and `arguments`."""
        calls: list[dict[str, Any]] = [json.loads(one) for one in objects]
        draw = self._random
        match draw.randrange(8):
            case 0 | 1:
                made: Any = calls[0]
            case 2:
                made = calls
            case 3:
                made = [_used(call, n) for n, call in enumerate(calls)]
            case 4:
                made = {
                    "role": "assistant",
                    "content": draw.choice(REASONS),
                    "tool_calls": [_function(call) for call in calls],
                }
            case 5:
                said = [
                    {"type": draw.choice(["text", "output_text"]), "text": "é"},
                    {"type": "thinking", "thinking": "…"},
                ]
                made = {"role": "assistant", "content": [*said, *(_used(call, n) for n, call in enumerate(calls))]}
            case 6:
                said = {"type": "message", "content": draw.choice([None, "hi", [{"text": "x"}, "y"]])}
                items = [
                    {"type": "function_call", "call_id": "c", "status": "completed", **_string(call)} for call in calls
                ]
                made = [{"type": "reasoning"}, said, *items]
            case _:
                made = _function(calls[0])
        return self._whole(json.dumps(made, ensure_ascii=draw.random() < 0.3, indent=draw.choice([None, None, 1])))

    def _whole(self, document: str) -> str:
        draw = self._random.random()
        if draw < 0.7:
            return document
        return f"\n```json\n{document}\n```\n" if draw < 0.9 else f"~~~\n{document}\n~~~"

    def _fenced(self, tag: str, text: str) -> str:
        draw = self._random
        fence, end = draw.choice(FENCES), draw.choice(["\n", "\n", "\n", "\r\n"])
        close = end if draw.random() < 0.9 else draw.choice(["", " ", end + end])
        closing = fence if draw.random() < 0.95 else draw.choice(["", fence + fence[0], fence[:2]])
        before = draw.choice(["", "", "", "", "  ", "So: ", "\t", "> "])
        blanks = [draw.choice(("", "", "", " ")) for _ in range(2)]
        return "".join([before, fence, blanks[0], tag, blanks[1], end, text, close, closing, end])

    def _prose(self) -> str:
        draw = self._random
        return draw.choice(PROSE) if draw.random() < 0.8 else draw.choice(CODE)


def _string(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": call["name"], "arguments": json.dumps(call["arguments"])}


def _function(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": _string(call)}


def _used(call: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": call["name"], "input": call["arguments"]}


FORMS: Mapping[str, Callable[[Frames, Sequence[str]], str]] = {
    "blocks": Frames.blocks,
    "actions": Frames.actions,
    "commands": Frames.commands,
    "tools": Frames.tools,
}


STOCK = 300
"""Wishes at hand for each dialect; one in `FRESH` inputs puts a new one in the place of another."""
FRESH = 30
SOURCES: Mapping[str, tuple[str, ...]] = {
    "chat": ("blocks", "actions"),
    "auto": ("blocks", "actions", "tools", "commands"),
}
"""Whose forms a reader of several dialects is fed."""
WRITERS: Mapping[str, Dialect] = {"blocks": BLOCKS, "commands": COMMANDS, "tools": TOOLS}
STYLES = ("primary", "secondary", "danger", "loud", 3, None)
VALUES: tuple[Json, ...] = (1, -2, 0.5, "", "é 😀", True, None, [1, "two"], {"deep": {"er": "x"}}, 2**53 - 1)
FAULTS = (
    ("}", ",}"), ("]", ",]"), ('"', "'"), ("{", "{{"), ("}", ""), ("]", ""), (": ", " "), (", ", " "), ('"', '\\"'),
    (":", ": NaN, "), (": ", ": 1e999, "), (": ", ': -0, "é": '), (": ", ': -0.0, "z": '),
    (": ", f': {"9" * 50}, "z": '), (": ", ': 0.10000000000000000001, "z": '), (": ", f': 0.{"3" * 50}, "z": '),
    ("{", "\ufeff{"), ("{", "{ // why\n"), ("{", "[" * 40 + "{"), ("{", '{"type": "x", '), ("{", '{"name": "x", '),
    ("{", '{"label": 7, '), ("[", "[3, "), ("{", '{"é": [[[]]], '), ("}", "} and more"), ('"arguments"', '"params"'),
    ('"label"', '"lable"'), ("true", "True"), ('"templateId"', '"template"'), ('"type"', '"typ"'),
    ('"commands"', '"comands"'), ('"action"', '"actions"'), ("add_task", "add_tasks"), ("file", "fiel"),
    ("action", "Action"), ('": "', '": "\\ud800'), ('": "', '": "\ud800'), ('": "', '": "\n'), ('": "', '": "\\x'),
    ('": "', '": {"x": 1}, "x": "'), ('": "', '": ["text"], "x": "'),
    ('": "', '": 3, "x": "'), ('": "', '": "\\u00e9'), ('": "', '": "\x00'), ('": "', '": null, "x": "'),
)  # fmt: skip
"""What models get wrong in JSON: something of theirs, and what it becomes; the first of a few places."""


class Inputs:
    """Draws inputs for one reader."""

    def __init__(self, name: str, operations: Mapping[str, Operation], seed: int) -> None:
        self._random = Random(f"{seed} inputs {name}")
        self._name = name
        self._operations = operations
        self._ids = sorted(operations)
        self._wisher = Wisher(self._random)
        self._frames = Frames(self._random)
        self._stock: dict[str, list[str]] = {}

    def drawn(self, lines: Dialect) -> str:
        """Return the next input; `lines` writes those of the line dialect."""
        draw = self._random
        if draw.random() < 0.02:
            return self._chance()
        name = draw.choice(SOURCES.get(self._name, (self._name,)))
        wishes = [
            self._wish(name, lines) for _ in range(draw.choice((1, 1, 1, 2, 3) if name != "lines" else (1, 1, 1, 2)))
        ]
        text = self._lines(wishes) if name == "lines" else self._frames.of(name, wishes)
        return text if draw.random() < 0.5 else self._damaged(text)

    def _wish(self, name: str, lines: Dialect) -> str:
        stock = self._stock.setdefault(name, [])
        if len(stock) < STOCK:
            stock.append(self._new(name, lines))
            return stock[-1]
        at = self._random.randrange(STOCK)
        if self._random.randrange(FRESH) == 0:
            stock[at] = self._new(name, lines)
        return stock[at]

    def _new(self, name: str, lines: Dialect) -> str:
        if name == "actions":
            return self._instance()
        writer = lines if name == "lines" else WRITERS[name]
        while True:
            operation = self._operations[self._random.choice(self._ids)]
            try:
                return self._object(name, writer.write(operation, self._wisher.arguments(operation)))
            except ProposalError:
                continue

    def _object(self, name: str, written: str) -> str:
        match name:
            case "blocks":
                return written.split("\n", 1)[1].rsplit("\n", 1)[0]
            case "commands":
                return json.dumps(json.loads(written)["commands"][0], ensure_ascii=self._random.random() < 0.3)
            case _:
                return written

    def _instance(self) -> str:
        draw = self._random
        members: dict[str, Json] = {"templateId": f"t{draw.randrange(99)}", "label": draw.choice(LINES)}
        if draw.random() < 0.7:
            members["params"] = {draw.choice(("to", "é", "n")): draw.choice(VALUES) for _ in range(draw.randrange(3))}
        if draw.random() < 0.6:
            members["style"] = draw.choice(STYLES)
        if draw.random() < 0.3:
            members |= {"description": draw.choice(LINES), "instanceId": draw.choice(("act_abc", "act_é", 5))}
        if draw.random() < 0.1:
            members[draw.choice(("params", "label", "templateId", "description", "x"))] = draw.choice(VALUES)
        return json.dumps(members, ensure_ascii=draw.random() < 0.3)

    def _lines(self, wishes: list[str]) -> str:
        draw = self._random
        lines: list[str] = []
        for wish in wishes:
            if draw.random() < 0.15:
                lines.append(draw.choice(NOISE))
            lines.append(wish)
        text, end = "\n".join(lines), draw.choice(ENDS)
        return text + end if end == "\n" else (text + "\n").replace("\n", end)

    def _damaged(self, text: str) -> str:
        draw = self._random
        for _ in range(draw.choice((1, 1, 2) if self._name != "lines" else (2, 4))):
            kind, at = draw.randrange(8), draw.randint(0, len(text))
            if kind < 4 and self._name != "lines":
                text = self._faulty(text, at)
                continue
            until = min(len(text), at + draw.choice((1, 1, 2, 5, 20)))
            match kind % 4:
                case 0:
                    text = text[:at] + text[until:]
                case 1:
                    text = text[:at] + draw.choice(ODD) + text[at:]
                case 2:
                    text = text[:at] + draw.choice(PIECES) + text[at:]
                case _:
                    text = text[:at] if draw.random() < 0.5 else text[:at] + text[at:until] * 3 + text[until:]
        return text

    def _faulty(self, text: str, at: int) -> str:
        """Put a fault behind a place, or before it where nothing fits behind."""
        said, becomes = self._random.choice(FAULTS)
        found = text.find(said, at)
        if found < 0:
            found = text.find(said)
        return text if found < 0 else text[:found] + becomes + text[found + len(said) :]

    def _chance(self) -> str:
        draw = self._random
        size = draw.choice((0, 1, 3, 20, 200))
        if draw.random() < 0.5:
            return draw.randbytes(size).decode("utf-8", "surrogateescape")
        return "".join(draw.choices((*ODD, *PIECES, *PROSE, *CODE, *NOISE), k=min(size, 40)))
