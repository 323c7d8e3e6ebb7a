"""The golden files: what was persisted once, one entry a line; entries are added to them and never changed."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.golden import samples

FOLDER = Path(__file__).parent.parent / "cases" / "golden"
FORMS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "steps": samples.steps,
    "facts": samples.facts,
    "operations": samples.operations,
}
"""Each golden file that grows by itself, and what makes its entries."""


def read(name: str) -> dict[str, Any]:
    """Return what a golden file holds."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def added() -> list[str]:
    """Write the entries that are missing, and return which; what is there stays as it is."""
    new: list[str] = []
    for name, make in FORMS.items():
        file = FOLDER / f"{name}.json"
        known: dict[str, Any] = read(name) if file.exists() else {}
        for entry, value in make().items():
            if entry not in known:
                new.append(f"{name}: {entry}")
                known[entry] = value
            elif name == "operations":
                new += [f"{name}: {entry} {version}" for version in value if version not in known[entry]]
                known[entry] = dict(sorted({**value, **known[entry]}.items()))
        lines = [f"{json.dumps(entry)}: {json.dumps(known[entry], ensure_ascii=False)}" for entry in sorted(known)]
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return new
