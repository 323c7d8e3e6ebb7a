"""Check the hash chain in the lines of an export, as a program would that has nothing but them."""

from collections.abc import Iterable
from typing import Any, cast

from sayso.journal.hash_chain import AuditEntry, ChainWalk, Checkpoint, VerificationResult
from sayso.journal.rows import decode_json


def check_lines(lines: Iterable[str], checkpoint: Checkpoint | None = None) -> VerificationResult:
    """Check the hash chain in exported lines.

    The lines of actions are only counted; their content can be checked only in the journal itself.
    """
    rest = iter(lines)
    origin, start, walk = _start(_parse_row(next(rest, "")), checkpoint)
    actions, last = 0, None
    for text in rest if walk.begin(origin) else ():
        told = _parse_row(text)
        if "action" in told:
            actions += 1
        elif "head" in told:
            last = Checkpoint.read(text)
        elif not _step(walk, told):
            break
    if walk.problem is None and walk.end():
        _closes(walk, last)
    now = Checkpoint(origin, walk.seq, walk.head.hex())
    return VerificationResult(walk.seq - start, actions, now, walk.problem, walk.bad_row)


def _parse_row(text: str) -> dict[str, Any]:
    try:
        told = decode_json(text)
    except ValueError:
        told = None
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {"damaged": text}


def _start(told: dict[str, Any], checkpoint: Checkpoint | None) -> tuple[str, int, ChainWalk]:
    seq, head = int(told["start"]["seq"]), bytes.fromhex(told["start"]["hash"])
    return str(told["journal"]), seq, ChainWalk(seq, head, checkpoint)


def _step(walk: ChainWalk, told: dict[str, Any]) -> bool:
    try:
        seq, time, event = told.pop("seq"), told.pop("time"), told.pop("event")
        return walk.step(AuditEntry(seq, time, event, told, bytes.fromhex(told.pop("hash"))))
    except (KeyError, TypeError, ValueError):
        walk.problem, walk.bad_row = f"audit row {walk.seq + 1} cannot be read", walk.seq + 1
        return False


def _closes(walk: ChainWalk, last: Checkpoint | None) -> None:
    if last is None:
        walk.problem = "the checkpoint at the end is missing: the export was cut off"
    elif (last.size, last.head) != (walk.seq, walk.head.hex()):
        walk.problem = "the checkpoint at the end does not fit the rows before it"
