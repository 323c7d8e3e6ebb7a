"""Feed one reader very many inputs; fail on an unexpected exception or on a literal that is not in the text.

`python -m tests.harness.fuzz_many NAME N SEED` prints how many per cent of a reader's branches they go through.
"""

import json
import sys
import tempfile
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import coverage

from sayso.assembly.parts import DIALECTS, providers
from sayso.assembly.parts import dialect as dialect_called
from sayso.core.dialect import Dialect, Event, ProposalEvent, TextEvent
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal
from sayso.dialects.detect import CHAT
from sayso.dialects.lines import LINES
from sayso.runtime.registry import catalogue
from tests.harness.fuzz_readers import Literals, fault_of
from tests.harness.fuzz_texts import CODE, NOISE, PROSE, Inputs
from tests.harness.long_run import Run

LACKING = (
    '```json-action\n{"type": "add_task"}\n```',
    '```json\n{"actions": [{"label": "x", "params": {}}]}\n```',
    '{"commands": [{"type": "open_url"}, {"type": "switch_tab"}]}',
    '[{"name": "macos_auto", "arguments": {"action": "open_app"}}, {"name": "file_move", "arguments": {}}]',
    "MOVE_FILE ~/a\nSPEAK\n",
)
"""Wishes without what they need."""
LEAST, MOST = 0.2, 0.8
"""How many of the inputs must hold at least one valid proposal, so that both sides of a reader are tried."""


READERS: Mapping[str, Dialect] = {**{name: dialect_called(name) for name in sorted(DIALECTS)}, CHAT.name: CHAT}


class Many:
    """Feeds one dialect's reader, and counts."""

    def __init__(self, run: Run, dialect: Dialect, operations: Mapping[str, Operation], seed: int) -> None:
        self._run = run
        self._dialect = dialect
        self._operations = operations
        self._random = Random(f"{seed} many {dialect.name}")
        self._inputs = Inputs(dialect.name, operations, seed)
        self._free = {id_: _free(operation) for id_, operation in operations.items()}
        self.inputs = 0
        self.valid = 0
        self.read: set[str] = set()
        self.codes: set[str] = set()

    @property
    def share(self) -> float:
        """Return how many of the inputs held a valid proposal."""
        return self.valid / max(1, self.inputs)

    def begin(self) -> None:
        """Look at the texts that each run begins with: all that lack something, or hold too much."""
        for text in (*NOISE, *PROSE, *CODE, *LACKING):
            self.held(text)

    def one(self) -> str:
        """Make up an input, read it, hold what comes out to what may be, and return it."""
        text = self._inputs.drawn(LINES)
        self.held(text)
        return text

    def held(self, text: str) -> None:
        """Read a text, a third of them in two pieces, and look at what comes out."""
        self.inputs += 1
        at = self._random.randint(0, len(text)) if self.inputs % 3 == 0 else 0
        events: list[Event] = []

        def read() -> None:
            reader = self._dialect.reader(self._operations)
            events.extend(reader.feed(text[:at]) if at else ())
            events.extend(reader.feed(text[at:]))
            events.extend(reader.close())

        fault = fault_of(read)
        if fault is not None:
            self._wrong(text, f"reading ended with {fault!r}")
        self._look(text, events)

    def _look(self, text: str, events: Sequence[Event]) -> None:
        literals = Literals(text, words=self._dialect.name == "lines")
        valid = [
            event.proposal
            for event in events
            if isinstance(event, ProposalEvent) and self._is_valid(text, event.proposal, literals)
        ]
        self.valid += bool(valid)
        shown = "".join([event.text for event in events if isinstance(event, TextEvent)]) if valid else ""
        for said in {proposal.said for proposal in valid if proposal.said in shown}:
            if shown.count(said) + sum(proposal.said == said for proposal in valid) > text.count(said):
                self._wrong(text, f"the block of {said!r:.60} is shown")

    def _is_valid(self, text: str, proposal: Proposal, literals: Literals) -> bool:
        if proposal.code:
            self.codes.add(proposal.code)
        if proposal.problem is not None or proposal.operation is None:
            return False
        self.read.add(proposal.operation)
        free = self._free[proposal.operation]
        said: list[Any] = [proposal.template_id or "", proposal.description or "", proposal.instance_id or ""]
        for name, value in proposal.arguments.items():
            if proposal.template_id:
                said.append(name)
            if not (isinstance(value, str | int) and value in free.get(name, ())):
                said.append(value)
        for invented in literals.invented(said):
            self._wrong(text, f"{proposal.operation} holds {invented:.60}, which nobody said")
        return True

    def _wrong(self, text: str, what: str) -> None:
        self._run.breach(f"{self._dialect.name}: {what}, in {text!r:.300}")


def _free(operation: Operation) -> dict[str, tuple[Any, ...]]:
    """Return, for each argument, what a dialect's own words may stand for: its choices, and what is left out."""
    return {parameter.name: (*_choices(parameter.schema), parameter.default) for parameter in operation.parameters}


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    found = list(schema.get("enum", ()))
    for option in schema.get("anyOf", ()):
        found += _choices(option)
    return found


MODULES: Mapping[str, tuple[str, ...]] = {
    "lines": ("lines/reader", "lines/grammar"),
    "tools": ("tools", "json", "vocabulary"),
    "blocks": ("blocks", "fences", "json", "vocabulary"),
    "actions": ("actions", "fences", "json"),
    "commands": ("commands", "json", "vocabulary"),
    "chat": ("detect", "blocks", "actions", "fences", "json", "vocabulary"),
    "auto": ("detect", "blocks", "actions", "tools", "commands", "fences", "json", "vocabulary"),
}
"""What a reader reads with."""
WRITING = frozenset(
    {
        "_rules", "_uses", "answer", "describe", "find_dialect", "kind", "members", "progress", "shape", "write_keyed",
        "ToolsDialect.read_name", "ToolsDialect.result", "ToolsDialect.with_other_names", "ToolsDialect.words",
    }
)  # fmt: skip
"""Functions there that do not read: they describe, write, or answer."""
FENCED = frozenset({"FencedReader._release_text", "Whole.add", "WholeReader.close", "_go_to_value", "strip_fence"})
"""What is only read with where a whole reply is one document."""
DOCUMENTS = frozenset(
    {"AutoReader.close", "AutoReader.feed", "_guess_dialect", "_is_call", "_is_document", "dialect_of"}
)
"""What only finds out of which dialect a document is."""
OF_OTHERS: Mapping[str, frozenset[str]] = {
    "actions": frozenset({"strip_fence"}),
    "blocks": FENCED | {"_narrower", "_distinct"},
    "chat": FENCED | DOCUMENTS | {"_narrower", "_distinct", "_depth"},
    "commands": frozenset({"_narrower", "_distinct"}),
}
"""Functions there that no text of a dialect has a use for: it bounds no number further, and has no key twice."""


def covered(name: str, n: int, seed: int) -> float:
    """Return the per cent of the branches of a reader that n inputs went through."""
    recorder = coverage.Coverage(branch=True, data_file=None, config_file=False, source_pkgs=["sayso.dialects"])
    recorder.set_option("run:disable_warnings", ["module-not-measured"])
    many = Many(Run("covered", seed, n, 0, ""), READERS[name], catalogue(providers()), seed)
    recorder.start()
    for _ in range(n):
        many.one()
    recorder.stop()
    with tempfile.NamedTemporaryFile() as file:
        recorder.json_report(outfile=file.name)
        report: Any = json.loads(Path(file.name).read_text("utf-8"))
    taken, there = _branches(report["files"], MODULES[name], WRITING | OF_OTHERS.get(name, frozenset()))
    return round(100 * taken / there, 1)


def _branches(files: Mapping[str, Any], modules: Iterable[str], apart: Container[str]) -> tuple[int, int]:
    taken = there = 0
    for module in modules:
        (found,) = [files[file] for file in files if file.endswith(f"sayso/dialects/{module}.py")]
        for function, measured in found["functions"].items():
            if function not in apart:
                taken += measured["summary"]["covered_branches"]
                there += measured["summary"]["num_branches"]
    return taken, there


if __name__ == "__main__":
    print(covered(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
