"""Draw a million replies quickly: wishes from a stock that keeps changing, put into forms, half of them damaged."""

import json
from collections.abc import Mapping
from random import Random

from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.commands import COMMANDS
from sayso.dialects.tools import TOOLS
from tests.harness.fuzz_frames import CODE, PROSE, Frames
from tests.harness.fuzz_texts import ENDS, NOISE, ODD, PIECES
from tests.harness.wishes import LINES, Wisher

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
