"""The hash chain over the audit rows: each row's hash covers the row before it."""

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
from sayso.core.record import State
from sayso.journal.rows import decode_json

# Line breaks of every kind, what moves a terminal's cursor or turns text around, halves of character pairs.
_ODD = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def line(value: Json) -> str:
    """Return compact JSON without any line break, and without characters that a screen hides or obeys."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ODD.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class ActionSeal(Struct, frozen=True):
    """The last word of the audit about one action."""

    key: int
    row: str
    seq: int
    done: bool = False
    """It was done, or found done, at some time: what it read was heard."""


class SealStore:
    """A private temporary database, gone when closed."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute("CREATE TABLE seal (key INTEGER PRIMARY KEY, row TEXT, seq INTEGER, done INTEGER)")
        self._connection.execute("CREATE TABLE heard (session, operation, PRIMARY KEY (session, operation))")
        self._connection.execute("BEGIN")

    def __getitem__(self, key: int) -> ActionSeal | None:
        """Return the last word about an action."""
        found = self._connection.execute("SELECT key, row, seq, done FROM seal WHERE key = ?", (key,)).fetchone()
        return None if found is None else _seal(found)

    def put(self, seal: ActionSeal) -> None:
        """Note the last word about an action."""
        self._connection.execute(
            "INSERT OR REPLACE INTO seal VALUES (?, ?, ?, ?)", (seal.key, seal.row, seal.seq, seal.done)
        )

    def drop(self, key: int) -> None:
        """Forget an action."""
        self._connection.execute("DELETE FROM seal WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[ActionSeal]:
        """Return them in the order of their keys."""
        for row in self._connection.execute("SELECT key, row, seq, done FROM seal ORDER BY key"):
            yield _seal(row)

    def hear(self, session: str | None, operation: str) -> None:
        """Note that an operation was done in a session."""
        if operation:
            self._connection.execute("INSERT OR IGNORE INTO heard VALUES (?, ?)", (session or "", operation))

    def heard(self) -> Iterator[tuple[str, str]]:
        """Return each session with each operation that was done in it, in order."""
        yield from self._connection.execute("SELECT session, operation FROM heard ORDER BY session, operation")

    def close(self) -> None:
        """Delete the temporary database."""
        self._connection.close()


def _seal(row: object) -> ActionSeal:
    key, text, seq, done = cast("tuple[int, str, int, int]", row)
    return ActionSeal(key, text, seq, bool(done))


Members = Mapping[str, Json]
"""What a record holds besides `seq`, `time` and `event`: `actions`, and if need be `grants` or `pruned` and `heard`."""

_DONE = frozenset({State.DONE.value, State.UNCHANGED.value})


class SealedState(Struct, frozen=True):
    """How one action stood after a commit; `row` is 64 hex digits, the first half of its content."""

    id: str
    state: str
    turn: int
    row: str
    anew: bool = False
    """Its content was written anew: it was planned only now, judged again, or redacted."""

    @property
    def done(self) -> bool:
        """Say whether it was done, or found done, with this commit."""
        return self.state in _DONE

    def json(self) -> dict[str, Json]:
        """Return it as it stands in a record."""
        told: dict[str, Json] = {"id": self.id, "row": self.row, "state": self.state, "turn": self.turn}
        return told | ({"anew": True} if self.anew else {})


class AuditEntry(Struct, frozen=True):
    """One audit row: its record, and the hash that stands beside it."""

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
        """Return how the actions of this commit stood after it."""
        told = cast("list[dict[str, Json]]", self.members.get("actions", []))
        return [
            SealedState(
                str(action["id"]), str(action["state"]), cast("int", action["turn"]), str(action["row"]),
                action.get("anew") is True,
            )
            for action in told
        ]  # fmt: skip

    @property
    def heard(self) -> list[tuple[str, str]]:
        """Return each session and operation of which only rows spoke that were removed with this commit."""
        return [(session, operation) for session, operation in cast("list[list[str]]", self.members.get("heard", []))]


def record(seq: int, time: str, event: str, members: Members) -> bytes:
    """Return the RFC 8785 form of an audit record."""
    return canonical({**members, "seq": seq, "time": time, "event": event})


def record_of_one(seq: int, time: str, event: str, one: SealedState) -> bytes:
    """Return the same bytes for the commit that there is most often: one action, nothing written anew."""
    action = f'{{"id":"{one.id}","row":"{one.row}","state":"{one.state}","turn":{one.turn}}}'
    return f'{{"actions":[{action}],"event":{encode_basestring(event)},"seq":{seq},"time":"{time}"}}'.encode()


def link(before: bytes, text: bytes) -> bytes:
    """Return the hash of a record that follows the one with hash `before`."""
    return hashlib.sha256(b"\0" + before + text).digest()


def first(origin: str) -> bytes:
    """Return the hash on which a journal's first record stands: it ties the chain to this one journal."""
    return hashlib.sha256(origin.encode()).digest()


class Checkpoint(Struct, frozen=True):
    """How long the chain of a journal was, and its last hash; kept elsewhere, it shows what was cut off later."""

    origin: str
    size: int
    head: str

    def json(self) -> dict[str, Json]:
        """Return it as the last line of an export."""
        return {"origin": self.origin, "size": self.size, "head": self.head}

    @staticmethod
    def read(text: str) -> "Checkpoint":
        """Read the last line of an export, or a line of its own. Raises `SetupError` when there is none."""
        lines = text.strip().splitlines()
        try:
            told = cast("dict[str, Json]", decode_json(lines[-1] if lines else ""))
            return Checkpoint(str(told["origin"]), range(2**63).index(cast("int", told["size"])), str(told["head"]))
        except (ValueError, KeyError, TypeError):
            sentence = "this is no checkpoint; the last line of what `sayso log export` wrote is one"
            raise SetupError(sentence, "journal.no_checkpoint") from None


class VerificationResult(Struct, frozen=True):
    """What a check of the journal found; `problem` is one sentence, None when all is well."""

    rows: int
    actions: int
    checkpoint: Checkpoint
    """Where the chain stands now."""
    problem: str | None = None
    bad_row: int | None = None
    """The first audit row that is wrong or missing."""
    bad_action: str | None = None
    """The first action that is not as the audit says."""

    @property
    def ok(self) -> bool:
        """Say whether nothing was found."""
        return self.problem is None


class PruneResult(Struct, frozen=True):
    """What was removed."""

    actions: int
    rows: int
    """Of the audit."""


class ChainWalk:
    """Follows a chain row by row; the first thing that is wrong stops it and stays in `problem`."""

    def __init__(self, seq: int, head: bytes, checkpoint: Checkpoint | None = None) -> None:
        self.seq = seq
        self.head = head
        self.checkpoint = checkpoint
        self.problem: str | None = None
        self.bad_row: int | None = None

    def step(self, entry: AuditEntry) -> bool:
        """Take the next row; False when the chain does not hold."""
        expected = self.seq + 1
        if entry.seq > expected:
            return self._bad(expected, f"audit row {expected} is missing")
        if entry.seq < expected:
            return self._bad(entry.seq, f"audit row {entry.seq} stands where the log begins only after {self.seq}")
        if link(self.head, entry.record) != entry.hash:
            return self._bad(expected, f"audit row {expected} was changed, or put in place of another")
        self.seq, self.head = entry.seq, entry.hash
        return self._agrees()

    def _agrees(self) -> bool:
        known = self.checkpoint
        if known is None or known.size != self.seq or known.head == self.head.hex():
            return True
        return self._bad(self.seq, f"audit row {self.seq} is not the one that the checkpoint knows")

    def begin(self, origin: str) -> bool:
        """Compare the start with the checkpoint; False when it is of another journal or older than the start."""
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
        """Compare the end with the checkpoint; False when rows are missing at the end."""
        known = self.checkpoint
        if known is None or known.size <= self.seq:
            return True
        return self._bad(
            self.seq + 1,
            f"audit row {self.seq + 1} is missing: the log ends there, and the checkpoint knows {known.size} rows",
        )

    def _bad(self, row: int | None, problem: str) -> bool:
        self.bad_row, self.problem = row, problem
        return False


def follow(entries: Iterable[AuditEntry], walk: ChainWalk) -> bool:
    """Take every row; False when the chain does not hold."""
    return all(walk.step(entry) for entry in entries) and walk.end()
