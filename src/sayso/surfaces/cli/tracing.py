"""Print a trace in its six parts, whatever is in it (S0-85)."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.layout import block, sentence
from sayso.surfaces.cli.style import Style

PARTS = (
    ("Context", "context"),
    ("System Prompt", "system_prompt"),
    ("User Prompt", "user_prompt"),
    ("LLM Response", "response"),
    ("Parsed Commands", "commands"),
    ("Execution Results", "results"),
)
_TURN = PARTS[2:]


def trace_lines(trace: Mapping[str, Json], width: int, style: Style) -> list[str]:
    """Return the six parts in their order; where there were several turns, the last four of each turn."""
    turns = [cast("Mapping[str, Json]", turn) for turn in cast("list[Json]", trace.get("turns") or [])]
    out = [line for part in PARTS[:2] for line in _part(*part, trace, width, style)]
    several = len(turns) > 1
    if not several:
        out += [line for part in _TURN for line in _part(*part, trace, width, style)]
    for number, turn in enumerate(turns if several else [], 1):
        for name, key in _TURN:
            out += _part(f"{name}, turn {number}", key, turn, width, style)
    outside = cast("list[str]", trace.get("outside") or [])
    if outside:
        out += [*sentence(visible(", ".join(outside)), width, "Words of others stood in: "), ""]
    error = trace.get("error")
    return [*out, *(_part("Why it ended", "error", trace, width, style) if error else [])]


def _part(name: str, key: str, trace: Mapping[str, Json], width: int, style: Style) -> Iterator[str]:
    value = trace.get(key)
    yield style.bold(f"{name}:")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    yield from block(text.rstrip("\n"), width, "  ") if text.strip() else ["  (nothing)"]
    yield ""
