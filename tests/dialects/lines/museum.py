"""The museum of replies: each file in tests/cases/lines says a text (or has it beside it) and what it proposes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "cases" / "lines"


@dataclass(frozen=True)
class Case:
    """One reply; of each proposal the keys that matter here."""

    name: str
    text: str
    proposals: list[dict[str, Any]]
    req: list[str]


def cases() -> list[Case]:
    """Return all cases, by name."""
    return [_case(file) for file in sorted(FOLDER.glob("*.json"))]


def _case(file: Path) -> Case:
    document = json.loads(file.read_text(encoding="utf-8"))
    beside = file.with_suffix(".txt")
    text = beside.read_bytes().decode() if beside.exists() else document["text"]
    return Case(file.stem, text, document["proposals"], document["req"])
