"""What a button says where the model wrote no label: a verb, and the target in quotes (T-57)."""

from collections.abc import Mapping

from sayso.core.canonical import Json

_LABELS = {
    "add_task": "Add '{text}'",
    "add_subtask": "Add '{text}' under '{parentText}'",
    "edit_task": "Rename '{taskText}' to '{newText}'",
    "delete_task": "Delete '{taskText}'",
    "complete_task": "Complete '{taskText}'",
    "add_habit": "Add '{text}' every {repeatIntervalHours} hours",
    "edit_habit": "Rename '{habitText}' to '{newText}'",
    "delete_habit": "Delete '{habitText}'",
    "log_habit": "Log '{habitText}'",
}


def default_label(name: str, members: Mapping[str, Json]) -> str:
    """Return the label of a type with these members, each in the dialect's own keys."""
    form = "Change '{habitText}'" if name == "edit_habit" and "newText" not in members else _LABELS[name]
    return form.format_map(_Members(members))


class _Members(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "…"
