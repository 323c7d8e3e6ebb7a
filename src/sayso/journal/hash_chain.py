"""The hash chain of the audit rows: each row's hash covers the hash of the row before it."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json, canonical
from sayso.core.errors import SetupError
from sayso.journal.rows import decode_json

# Control characters, line breaks, invisible characters, text direction marks and surrogates.
_ODD = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def line(value: Json) -> str:
    """Return compact JSON in one line, with control and invisible characters escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ODD.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class ActionSeal(Struct, frozen=True):
    """The last entry about one action in the audit."""

    key: int
    row: str
    seq: int


class SealStore:
    """The seals of all actions in a temporary private database, which `close` deletes."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute("CREATE TABLE seal (key INTEGER PRIMARY KEY, row TEXT, seq INTEGER)")
        self._connection.execute("CREATE TABLE other (tbl, key, row, seq, PRIMARY KEY (tbl, key)) WITHOUT ROWID")
        self._connection.execute("BEGIN")

    def __getitem__(self, key: int) -> ActionSeal | None:
        """Return the last entry about an action, or None."""
        found = self._connection.execute("SELECT key, row, seq FROM seal WHERE key = ?", (key,)).fetchone()
        return None if found is None else _seal(found)

    def put(self, seal: ActionSeal) -> None:
        """Store the last entry about an action."""
        self._connection.execute("INSERT OR REPLACE INTO seal VALUES (?, ?, ?)", (seal.key, seal.row, seal.seq))

    def drop(self, key: int) -> None:
        """Remove the entry about an action."""
        self._connection.execute("DELETE FROM seal WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[ActionSeal]:
        """Iterate over the entries in the order of their keys."""
        for row in self._connection.execute("SELECT key, row, seq FROM seal ORDER BY key"):
            yield _seal(row)

    def put_other(self, table: str, key: str, row: str | None, seq: int) -> None:
        """Store the last seal of a row of another table, or remove it if the row was removed."""
        if row is None:
            self.drop_other(table, key)
        else:
            self._connection.execute("INSERT OR REPLACE INTO other VALUES (?, ?, ?, ?)", (table, key, row, seq))

    def drop_other(self, table: str, key: str) -> None:
        """Remove the seal of a row of another table."""
        self._connection.execute("DELETE FROM other WHERE tbl = ? AND key = ?", (table, key))

    def take_other(self, table: str, key: str) -> str | None:
        """Remove the seal of a row of another table and return it; None if there is none."""
        found = self._connection.execute("SELECT row FROM other WHERE tbl = ? AND key = ?", (table, key)).fetchone()
        self.drop_other(table, key)
        return None if found is None else str(found[0])

    def others(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield table, key, seal and audit row of each seal of another table, sorted."""
        yield from self._connection.execute("SELECT tbl, key, row, seq FROM other ORDER BY tbl, key")

    def close(self) -> None:
        """Delete the temporary database."""
        self._connection.close()


def _seal(row: object) -> ActionSeal:
    return ActionSeal(*cast("tuple[int, str, int]", row))


Members = Mapping[str, Json]
"""The members of an audit record except `seq`, `time` and `event`.

These are `actions` and, if needed, `grants` and `rows`, the seals of rows of other tables (`sealed_tables.py`). The
record of a removal of old rows also has `pruned`.
"""


class SealedState(Struct, frozen=True):
    """The state of one action after a commit; `row` is 64 hex digits, half for its content and half for its marks."""

    id: str
    state: str
    turn: int
    row: str
    anew: bool = False
    """Whether the content was rewritten: the action was planned after earlier ones, judged again or redacted."""

    def json(self) -> dict[str, Json]:
        """Return the state as it is written in an audit record."""
        told: dict[str, Json] = {"id": self.id, "row": self.row, "state": self.state, "turn": self.turn}
        return told | ({"anew": True} if self.anew else {})


class AuditEntry(Struct, frozen=True):
    """One audit row: its record, and its hash."""

    seq: int
    time: str
    event: str
    members: Members
    hash: bytes

    @property
    def record(self) -> bytes:
        """Return the bytes that are hashed."""
        return record(self.seq, self.time, self.event, self.members)

    @property
    def actions(self) -> list[SealedState]:
        """Return the states of this commit's actions."""
        told = cast("list[dict[str, Json]]", self.members.get("actions", []))
        return [
            SealedState(
                str(action["id"]), str(action["state"]), cast("int", action["turn"]), str(action["row"]),
                action.get("anew") is True,
            )
            for action in told
        ]  # fmt: skip

    @property
    def others(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield table, key and seal of each row of another table that this commit changed; None if it was removed."""
        for table, rows in cast("dict[str, dict[str, str | None]]", self.members.get("rows", {})).items():
            for key, row in rows.items():
                yield table, key, row


def record(seq: int, time: str, event: str, members: Members) -> bytes:
    """Return the RFC 8785 form of an audit record."""
    return canonical({**members, "seq": seq, "time": time, "event": event})


def record_of_one(seq: int, time: str, event: str, one: SealedState) -> bytes:
    """Return the same bytes as `record`, but faster, for one action whose content was not rewritten."""
    action = f'{{"id":"{one.id}","row":"{one.row}","state":"{one.state}","turn":{one.turn}}}'
    return f'{{"actions":[{action}],"event":{encode_basestring(event)},"seq":{seq},"time":"{time}"}}'.encode()


def link(before: bytes, text: bytes) -> bytes:
    """Return the hash of a record that follows the record with hash `before`."""
    return hashlib.sha256(b"\0" + before + text).digest()


def first(origin: str) -> bytes:
    """Return the hash that stands for the row before a journal's first record; it binds the chain to this journal."""
    return hashlib.sha256(origin.encode()).digest()


class Checkpoint(Struct, frozen=True):
    """The length of a journal's chain and its last hash; a copy kept elsewhere reveals rows that were cut off later."""

    origin: str
    size: int
    head: str

    def json(self) -> dict[str, Json]:
        """Return the checkpoint as the last line of an export."""
        return {"origin": self.origin, "size": self.size, "head": self.head}

    @staticmethod
    def read(text: str) -> "Checkpoint":
        """Parse the last line of a text, such as an export. Raises `SetupError` if that line is not a checkpoint."""
        lines = text.strip().splitlines()
        try:
            told = cast("dict[str, Json]", decode_json(lines[-1] if lines else ""))
            return Checkpoint(str(told["origin"]), range(2**63).index(cast("int", told["size"])), str(told["head"]))
        except (ValueError, KeyError, TypeError):
            sentence = "this is no checkpoint; the last line of what `sayso log export` wrote is one"
            raise SetupError(sentence, "journal.no_checkpoint") from None


class VerificationResult(Struct, frozen=True):
    """The result of a check of the journal; `problem` is one sentence, or None if the journal is intact."""

    rows: int
    actions: int
    checkpoint: Checkpoint
    """The current end of the chain."""
    problem: str | None = None
    bad_row: int | None = None
    """The first audit row that is wrong or missing."""
    bad_action: str | None = None
    """The first action that differs from the audit."""

    @property
    def ok(self) -> bool:
        """Return whether the journal is intact."""
        return self.problem is None


class PruneResult(Struct, frozen=True):
    """The numbers of removed actions and audit rows."""

    actions: int
    rows: int
    """The number of removed audit rows."""


class ChainWalk:
    """Checks a chain row by row; at the first error it stops, with the error in `problem`."""

    def __init__(self, seq: int, head: bytes, checkpoint: Checkpoint | None = None) -> None:
        self.seq = seq
        self.head = head
        self.checkpoint = checkpoint
        self.problem: str | None = None
        self.bad_row: int | None = None

    def step(self, entry: AuditEntry) -> bool:
        """Check the next row; return False if it does not continue the chain or contradicts the checkpoint."""
        expected = self.seq + 1
        if entry.seq > expected:
            return self._bad(expected, f"audit row {expected} is missing")
        if entry.seq < expected:
            return self._bad(entry.seq, f"audit row {entry.seq} is there, but the log begins only after row {self.seq}")
        if link(self.head, entry.record) != entry.hash:
            return self._bad(expected, f"audit row {expected} was changed, or put in place of another")
        self.seq, self.head = entry.seq, entry.hash
        return self._agrees()

    def _agrees(self) -> bool:
        known = self.checkpoint
        if known is None or known.size != self.seq or known.head == self.head.hex():
            return True
        return self._bad(self.seq, f"audit row {self.seq} is not the one that the checkpoint recorded")

    def begin(self, origin: str) -> bool:
        """Compare the start with the checkpoint; return False if they contradict each other.

        A checkpoint contradicts the chain if it belongs to another journal, or if it ends before the start of the
        chain.
        """
        known = self.checkpoint
        if known is None:
            return True
        if known.origin != origin:
            return self._bad(None, f"the checkpoint is of another journal ({known.origin}, this is {origin})")
        if known.size < self.seq:
            return self._bad(
                None,
                f"the checkpoint ends at audit row {known.size}, but everything up to row {self.seq} was removed "
                "because of its age; compare with a checkpoint exported since",
            )
        return self._agrees()

    def end(self) -> bool:
        """Compare the end with the checkpoint; return False if rows are missing at the end."""
        known = self.checkpoint
        if known is None or known.size <= self.seq:
            return True
        return self._bad(
            self.seq + 1,
            f"audit row {self.seq + 1} is missing: the log ends there, and the checkpoint counted {known.size} rows",
        )

    def _bad(self, row: int | None, problem: str) -> bool:
        self.bad_row, self.problem = row, problem
        return False


def follow(entries: Iterable[AuditEntry], walk: ChainWalk) -> bool:
    """Check all rows and the end; return False if the chain is broken."""
    return all(walk.step(entry) for entry in entries) and walk.end()
