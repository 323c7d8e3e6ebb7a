"""Print which requirements the run of the tests just before this one proved, and by which tests."""

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parent.parent


class Test(TypedDict):
    """A test as the run wrote it down."""

    ids: list[str]
    outcome: str


@dataclass(frozen=True)
class Marked:
    """The tests of one id, by what they came to."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def proved(self) -> bool:
        """Say whether at least one test passed and none failed."""
        return bool(self.passed) and not self.failed


def marked(tests: dict[str, Test], name: str) -> Marked:
    """Return the tests that are marked with an id."""
    by_outcome: defaultdict[str, list[str]] = defaultdict(list)
    for node, test in tests.items():
        if name in test["ids"]:
            by_outcome[test["outcome"]].append(node)
    return Marked(tuple(by_outcome["passed"]), tuple(by_outcome["failed"]), tuple(by_outcome["skipped"]))


def listed(tests: dict[str, Test], names: list[str], heading: str) -> tuple[list[str], int]:
    """Return the lines about one list of ids, and how many of them are proved."""
    found = {name: marked(tests, name) for name in names}
    lines = [heading, ""]
    for name, its in found.items():
        if its.proved:
            lines += [f"{name}  {its.passed[0]}", *[f"{'':{len(name)}}  {node}" for node in its.passed[1:]]]
    for says, chosen in (
        ("failed", [name for name, its in found.items() if its.failed]),
        ("only skipped", [name for name, its in found.items() if its.skipped and not its.passed and not its.failed]),
        ("no test", [name for name, its in found.items() if its == Marked((), (), ())]),
    ):
        if chosen:
            lines += ["", f"{says} ({len(chosen)}): {' '.join(chosen)}"]
    return [*lines, ""], sum(its.proved for its in found.values())


def report(root: Path) -> str:
    """Return the whole page; its last line is the number of requirements proved."""
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
            f"listed apart, with a passing test: {other_proved} of {len(others)}",
            f"requirements with a passing test: {proved} of {len(required)}",
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
