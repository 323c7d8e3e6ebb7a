"""Say in words what a call is doing while it is being done (S1-59, S1-60)."""

from collections.abc import Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.dialects.keyed import LONGEST_NAME
from sayso.dialects.names import closed_id
from sayso.dialects.strict import NotStrict, strict_json
from sayso.dialects.tools.naming import own_tool, tool_of

_HEADS: Mapping[str, str] = {"macos_auto": "macOS", "browser": "Safari"}


def progress(name: str, arguments: Mapping[str, Json], operations: Mapping[str, Operation]) -> str:
    """Return one line for a call: `macOS: calendar today`, `Safari: get text`, `Move or rename a file or folder`.

    The name and the action are the model's own words: of them no more than a line is shown.
    """
    if tool_of(name) is None:
        known = own_tool(name, operations)
        return _words(name) if known is None else operations[closed_id(name)].summary
    action = arguments.get("action")
    return f"{_HEADS[name]}: {_words(action)}" if isinstance(action, str) else _HEADS[name]


def arguments_of(given: object) -> Mapping[str, Json]:
    """Return the arguments of a call that may be JSON text; what is wrong with them, the call itself is answered."""
    try:
        found = strict_json(given) if isinstance(given, str) else given
    except NotStrict:
        return {}
    return cast("Mapping[str, Json]", found) if isinstance(found, Mapping) else {}


def _words(name: str) -> str:
    line = "".join(char if char.isprintable() else " " for char in name[:LONGEST_NAME].replace("_", " "))
    return " ".join(line.split())
