"""Print which requirements the run of the tests just before this one proved, and by which tests."""

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parent.parent


KINDS = ("real", "simulated", "read only")
"""How much a passing test proves, the most first; `tests/plugins/proofs.py` says what each means."""


class Test(TypedDict):
    """A test as the run wrote it down."""

    ids: list[str]
    outcome: str
    proof: str


@dataclass(frozen=True)
class Marked:
    """The tests of one id, by what they came to."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]
    proofs: tuple[str, ...] = ()
    """What the tests that passed prove, in their order."""

    @property
    def proved(self) -> bool:
        """Say whether at least one test passed and none failed."""
        return bool(self.passed) and not self.failed

    @property
    def best(self) -> str:
        """Return how much the best of the tests that passed proves."""
        return min(self.proofs, key=KINDS.index)


def marked(tests: dict[str, Test], name: str) -> Marked:
    """Return the tests that are marked with an id."""
    by_outcome: defaultdict[str, list[str]] = defaultdict(list)
    proofs: list[str] = []
    for node, test in tests.items():
        if name in test["ids"]:
            by_outcome[test["outcome"]].append(node)
            proofs += [test["proof"]] if test["outcome"] == "passed" else []
    passed, failed, skipped = (tuple(by_outcome[outcome]) for outcome in ("passed", "failed", "skipped"))
    return Marked(passed, failed, skipped, tuple(proofs))


def listed(tests: dict[str, Test], names: list[str], heading: str) -> tuple[list[str], str]:
    """Return the lines about one list of ids, and how many of them are proved, in words."""
    found = {name: marked(tests, name) for name in names}
    lines = [heading, ""]
    for name, its in found.items():
        if its.proved:
            nodes = [f"{proof:<9}  {node}" for node, proof in zip(its.passed, its.proofs, strict=True)]
            lines += [f"{name}  {nodes[0]}", *[f"{'':{len(name)}}  {node}" for node in nodes[1:]]]
    by_kind = {kind: [name for name, its in found.items() if its.proved and its.best == kind] for kind in KINDS}
    for says, chosen in (
        ("only simulated", by_kind["simulated"]),
        ("only read", by_kind["read only"]),
        ("failed", [name for name, its in found.items() if its.failed]),
        ("only skipped", [name for name, its in found.items() if its.skipped and not its.passed and not its.failed]),
        ("no test", [name for name, its in found.items() if its == Marked((), (), ())]),
    ):
        if chosen:
            lines += ["", f"{says} ({len(chosen)}): {' '.join(chosen)}"]
    counts = ", ".join(f"{kind} {len(proved)}" for kind, proved in by_kind.items())
    return [*lines, ""], f"{sum(map(len, by_kind.values()))} of {len(names)} ({counts})"


def report(root: Path) -> str:
    """Return the whole page; its last line is the number of requirements proved, by how much their tests prove."""
    tests: dict[str, Test] = json.loads((root / ".build" / "tests.json").read_text(encoding="utf-8"))
    required, others = (
        (root / "tests" / name).read_text(encoding="utf-8").split() for name in ("requirements.txt", "other_ids.txt")
    )
    other_lines, other_proved = listed(tests, others, "Listed apart: resolutions, worked examples, security cases")
    lines, proved = listed(tests, required, "Requirements")
    return "\n".join(
        [
            *other_lines,
            *lines,
            f"listed apart, with a passing test: {other_proved}",
            f"requirements with a passing test: {proved}",
        ]
    )


def main() -> int:
    """Print the page, or say why there is none."""
    try:
        print(report(ROOT))
    except FileNotFoundError as missing:
        print(f"{missing.filename} is missing: the tests did not run to their end", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
