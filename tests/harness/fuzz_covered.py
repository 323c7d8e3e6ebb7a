"""Measure how much of a reader fuzzing alone covers: `python -m tests.harness.fuzz_covered NAME N SEED`."""

import json
import sys
import tempfile
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

import coverage

from sayso.assembly.parts import providers
from sayso.runtime.registry import catalogue
from tests.harness.fuzz_many import Many
from tests.harness.fuzz_names import READERS
from tests.harness.told import Run

MODULES: Mapping[str, tuple[str, ...]] = {
    "lines": ("lines/reader", "lines/grammar"),
    "tools": ("tools", "json", "keyed"),
    "blocks": ("blocks", "fences", "json", "keyed"),
    "actions": ("actions", "fences", "json"),
    "commands": ("commands", "json", "keyed"),
    "chat": ("detect", "blocks", "actions", "fences", "json", "keyed"),
    "auto": ("detect", "blocks", "actions", "tools", "commands", "fences", "json", "keyed"),
}
"""What a reader reads with."""
WRITING = frozenset(
    (
        *("_rules", "_uses", "answer", "describe", "find_dialect", "kind", "members", "progress", "shape"),
        *("Tools.read_name", "Tools.result", "Tools.with_other_names", "Tools.words"),
    )
)
"""Functions there that do not read: they describe, write, or answer."""
FENCED = frozenset({"FencedReader._release_text", "Whole.add", "_go_to_value", "strip_fence"})
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
