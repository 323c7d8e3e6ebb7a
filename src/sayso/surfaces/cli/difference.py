"""Show what a person changed in a preview: each action as it was and as it is now, worked out from the journal."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from sayso.assembly.parts import dialect
from sayso.core.errors import SaysoError
from sayso.core.operation import Operation
from sayso.core.record import Record
from sayso.dialects.told import told
from sayso.runtime.editing import EDITED
from sayso.surfaces.cli.layout import block

Row = tuple[str, Record]
"""A sign (`-` for what was, `+` for what is, a blank for what stayed) and the action."""


def rows(before: Sequence[Record], after: Sequence[Record]) -> list[Row]:
    """Return what was, next to what came of it, in the order of what is now; what was taken out stands where it was."""
    edited = [record for record in before if record.marks.code == EDITED]
    kept = {record.edit_of for record in after}
    gone = [record for record in edited if record.id not in kept]
    was = {record.id: record for record in edited}
    out: list[Row] = []
    for record in after:
        old = was.get(record.edit_of or "")
        while old is not None and gone and gone[0].index < old.index:
            out.append(("-", gone.pop(0)))
        if old is not None and _same(old, record):
            out.append((" ", record))
            continue
        out += [("-", old)] if old is not None else []
        out.append(("+", record))
    return [*out, *(("-", record) for record in gone)]


def _same(old: Record, new: Record) -> bool:
    return (old.operation, old.template_id, dict(old.arguments)) == (
        new.operation,
        new.template_id,
        dict(new.arguments),
    )


def lines(changes: Sequence[Row], operations: Mapping[str, Operation], width: int, indent: str) -> Iterator[str]:
    """Write the difference, each line of it foreign text behind a bar."""
    for sign, record in changes:
        for line in written(record, operations.get).split("\n"):
            yield from block(f"{sign} {line}", width, indent)


def written(record: Record, operation_of: Callable[[str], Operation | None]) -> str:
    """Return an action in the dialect of its run, as it stands in the journal; in JSON where that cannot say it."""
    operation = operation_of(record.operation or "")
    if operation is None:
        return record.said.rstrip("\n") or str(record.operation)
    with suppress(SaysoError):
        return told(dialect(record.dialect), operation, record.arguments, record.template_id).rstrip("\n")
    return f"{record.operation} {json.dumps(dict(record.arguments), ensure_ascii=False)}"
