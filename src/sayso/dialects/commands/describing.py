"""Write the part of the prompt that teaches a model the commands contract."""

from collections.abc import Iterator, Sequence

from sayso.core.operation import Operation
from sayso.dialects import names, strangers
from sayso.dialects.keyed import derived, shape
from sayso.dialects.names import Keyed

_ROLE = """\
You match what the person wants to operations of their computer. You understand the request, compare it with the \
context, and name exact values; the system checks them and carries them out. You never write filters, searches or \
program code."""

_FORM = """\
Answer with exactly one JSON object and nothing else:
{"commands": [ … ], "needs_clarification": false, "clarification_reason": null}
“commands” holds one object for each operation, in the order they are to happen. Each has a “type” and the keys listed \
for it, and no others. It is empty when there is nothing to do."""

_CLARIFICATION = """\
When nothing in the context fits, or several things do, do not guess: write the command without the value that is in \
doubt, set “needs_clarification” to true, and say in “clarification_reason” what to choose from. Nothing is carried \
out then, and the person's answer comes to you."""

_EXACT = "Names are exact: take them from the context, letter for letter."
_INDICES = """\
Tabs are numbered from 1 over all windows, as in the context. All numbers of one answer mean the tabs as the context \
shows them; they do not shift while the commands are carried out. One close_tab lists all tabs that are to be closed."""
_TABS = """\
“Go to” or “switch to” a site means switch_tab when the context has a tab for it. “Open” a site, or “a new tab”, means \
open_url, which always opens a new tab."""
_BOUNDS = """\
For a monitor at x, y of width w and height h, bounds are [left, top, right, bottom]: left half [x, y, x+w/2, y+h]; \
right half [x+w/2, y, x+w, y+h]; whole [x, y, x+w, y+h]; a size W×H in its middle \
[x+(w-W)/2, y+(h-H)/2, x+(w+W)/2, y+(h+H)/2]. Compute them from the monitors in the context, as whole numbers."""
_QUERY = "query answers a question from the context and changes nothing; use it when the person only asks."
_TIMES = "Times are written YYYY-MM-DD HH:MM, or YYYY-MM-DD for a whole day, in local time."
_PATHS = "Paths are absolute, or ~ or start with ~/, and are never patterns."

EXAMPLES = (
    ("switch_tab", "switch to reddit (tab 3 is on reddit.com)", '{"type": "switch_tab", "tab_index": 3}'),
    ("close_tab", "close all reddit tabs (2, 5 and 8)", '{"type": "close_tab", "tab_indices": [2, 5, 8]}'),
    ("open_url", "open chatgpt", '{"type": "open_url", "url": "https://chatgpt.com"}'),
    (
        "place_app",
        "put Chrome in the middle of my 1920×1080 screen, 1200×800",
        '{"type": "place_app", "app_name": "Google Chrome", "bounds": [360, 140, 1560, 940]}',
    ),
)
"""For a type: what the person says, and the command; read as whole replies by the tests."""

UNCLEAR = (
    "switch_tab",
    "switch to xyz (no tab is on it)",
    '{"commands": [{"type": "switch_tab"}], "needs_clarification": true, "clarification_reason": "No tab is on xyz."}',
)


def reply(command: str) -> str:
    """Return the whole reply that holds one command."""
    return f'{{"commands": [{command}], "needs_clarification": false, "clarification_reason": null}}'


def describe(operations: Sequence[Operation]) -> str:
    """Return role, form, one line per type, and examples; only the operations given are named (S4-54, T-12)."""
    known = {operation.id: operation for operation in operations}
    forms = _listed(known)
    types = {keyed.name for keyed in forms}
    lines = "\n".join(f"- {shape(keyed, known[keyed.operation], 'type')} - {_summary(keyed, known)}" for keyed in forms)
    parts = [
        _ROLE,
        _FORM,
        _CLARIFICATION,
        "\n".join([*_rules(types, known), *strangers.rules(operations)]),
        f"TYPES:\n{lines}",
    ]
    examples = [f"{said}\n{reply(command)}" for name, said, command in EXAMPLES if name in types]
    examples += [f"{said}\n{whole}" for name, said, whole in (UNCLEAR,) if name in types]
    return "\n\n".join([*parts, "EXAMPLES:\n" + "\n".join(examples)] if examples else parts) + "\n"


def _listed(known: dict[str, Operation]) -> list[Keyed]:
    named = [keyed for keyed in names.COMMANDS if keyed.operation in known]
    have_a_name = {keyed.operation for keyed in named}
    return named + [derived(operation, "type") for id_, operation in known.items() if id_ not in have_a_name]


def _summary(keyed: Keyed, known: dict[str, Operation]) -> str:
    return known[keyed.operation].summary


def _rules(types: set[str], known: dict[str, Operation]) -> Iterator[str]:
    yield _EXACT
    if types & {"switch_tab", "close_tab"}:
        yield _INDICES
    if {"switch_tab", "open_url"} <= types:
        yield _TABS
    if "place_app" in types:
        yield _BOUNDS
    if "query" in types:
        yield _QUERY
    kinds = {parameter.kind for operation in known.values() for parameter in operation.parameters}
    if "path" in kinds:
        yield _PATHS
    if "when" in kinds:
        yield _TIMES
