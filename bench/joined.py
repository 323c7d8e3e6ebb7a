"""What a careful person would write who may wait for the end: join, cut with one expression, decode with msgspec."""

import re
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.json import Decoder

_BLOCK = re.compile(r"```json-action\n(.*?)\n```", re.DOTALL)
_GAP = re.compile(r"\n{3,}")
_Words = Annotated[str, Meta(min_length=1, max_length=2000)]
_Hours = Annotated[float, Meta(gt=0)]


class _Action(Struct, forbid_unknown_fields=True, tag_field="type", kw_only=True, rename="camel"):
    label: str | None = None


class AddTask(_Action, tag="add_task"):
    """Add a task."""

    text: _Words


class _AddSubtask(_Action, tag="add_subtask"):
    parent_text: _Words
    text: _Words


class _EditTask(_Action, tag="edit_task"):
    task_text: _Words
    new_text: _Words


class _DeleteTask(_Action, tag="delete_task"):
    task_text: _Words


class _AddHabit(_Action, tag="add_habit"):
    text: _Words
    repeat_interval_hours: _Hours


_DECODER = Decoder(AddTask | _AddSubtask | _EditTask | _DeleteTask | _AddHabit)


def joined(pieces: Sequence[str]) -> tuple[str, list[object]]:
    """Return what a person is shown of a reply, and its actions, checked against a schema."""
    parts = _BLOCK.split("".join(pieces))
    return _GAP.sub("\n\n", "".join(parts[::2])).strip("\n"), [_DECODER.decode(part) for part in parts[1::2]]
