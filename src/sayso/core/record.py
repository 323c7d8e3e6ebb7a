"""The record of one action in the journal, and the ids of actions, runs and sessions."""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""The digits of Crockford's base 32, none of which can be mistaken for another."""
WIDTH = 13
LARGEST = 2**63 - 1

_BITS = tuple(range(5 * (WIDTH - 1), -1, -5))

# Python's `int(…, 32)` has the digits 0-9a-v. So Crockford's digits are translated into these (O counts as 0, I and L
# as 1), and every other ASCII character into a dot; a text with a dot is refused.
_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_PLAIN = dict.fromkeys(map(chr, range(128)), ".") | dict(
    zip(ALPHABET + ALPHABET.lower() + "ILOilo", _DIGITS + _DIGITS + "110110", strict=True)
)
_TO_PLAIN = str.maketrans(_PLAIN)


def action_id(key: int) -> str:
    """Return the id of the action with this key: `do_` and 13 characters."""
    return "do_" + _write_id(key)


def action_key(text: str) -> int:
    """Return the key in an action's id, in upper or lower case.

    Raises `ProposalError` if the text is not such an id.
    """
    return _read(text, "do_", "an action")


def run_id(key: int) -> str:
    """Return the id of the run with this key: `run_` and 13 characters."""
    return "run_" + _write_id(key)


def run_key(text: str) -> int:
    """Return the key in a run's id, in upper or lower case. Raises `ProposalError` if the text is not such an id."""
    return _read(text, "run_", "a run")


def session_id(key: int) -> str:
    """Return the id of the session that begins with this key: `ask_` and 13 characters."""
    return "ask_" + _write_id(key)


@lru_cache(maxsize=64)
def _write_id(key: int) -> str:
    if not 0 <= key <= LARGEST:
        raise ValueError(f"{key} is no key; keys are whole numbers from 0 to 2⁶³−1")
    return "".join([ALPHABET[key >> bits & 31] for bits in _BITS])


@lru_cache(maxsize=64)
def _read(text: str, start: str, whose: str) -> int:
    digits = text[len(start) :].translate(_TO_PLAIN)
    readable = text.isascii() and text[: len(start)].lower() == start and len(digits) == WIDTH and "." not in digits
    key = int(digits, 32) if readable else -1
    if not 0 <= key <= LARGEST:
        example = start + ALPHABET[:3] + "…"
        raise ProposalError(f"“{text[:60]}” is not the id of {whose}; one looks like {example}", "id.malformed")
    return key


LEAST_PART = 3
"""How many digits a shortened id has at least."""


def id_part(text: str) -> str | None:
    """Return the digits of a shortened id of an action or a run; None for a whole id or any other text."""
    head, mark, digits = text.partition("_")
    plain = digits.translate(_TO_PLAIN)
    short = head.lower() in {"do", "run"} and mark and text.isascii() and LEAST_PART <= len(plain) < WIDTH
    return plain if short and "." not in plain else None


def key_limits(part: str) -> tuple[int, int, int, int]:
    """Return which keys belong to ids that begin with these digits, or end with them.

    The first are those from the first to the second number; the others leave the fourth when divided by the third.
    """
    low, high = (min(int(part.ljust(WIDTH, digit), 32), LARGEST) for digit in ("0", "v"))
    return low, high, 32 ** len(part), int(part, 32)


class Exposure(Struct, frozen=True):
    """One source of strangers' text that a principal has read: an operation, or a part of a prompt."""

    principal: str
    session: str
    """The session in which it was read; empty if that was a run without a session."""
    source: str
    time: str
    """When it was last read, in ISO 8601."""


class State(StrEnum):
    """The state of an action.

    Waiting and running actions are still under way. All others have ended; only an undo or `sayso settle` changes their
    state.
    """

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    REFUSED = "refused"
    DECLINED = "declined"
    EXPIRED = "expired"
    INVALID = "invalid"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    PLANNED = "planned"
    UNDONE = "undone"


NOT_PLANNED = frozenset(State) - {State.PLANNED}
"""All states but that of what a dry run would have done."""


SUCCESS = frozenset({State.DONE, State.UNCHANGED, State.PLANNED, State.UNDONE})


class StepOutcome(StrEnum):
    """The result of one change."""

    DONE = "done"
    NOT_DONE = "not_done"
    UNDONE = "undone"
    UNKNOWN = "unknown"


class StepRecord(Struct, frozen=True):
    """What the journal stores about one change: its outcome and, once done, the resulting facts as JSON."""

    outcome: StepOutcome
    left: Mapping[str, Json] | None = None


class Owner(Struct, frozen=True):
    """The process that carries out an action; `started` is its start time, to detect that its pid was reused."""

    host: str
    boot: str
    pid: int
    started: int


class Progress(Struct, frozen=True):
    """The part of a record that changes; `turn` grows by one with each update and prevents lost updates."""

    state: State
    turn: int = 0
    message: str | None = None
    error: str | None = None
    code: str | None = None
    approved_by: str | None = None
    decided_at: str | None = None
    ended_at: str | None = None
    begun: int | None = None
    """The index of the change that has begun and is not marked as done yet."""
    undoing: int | None = None
    """The index of the done change whose undo has begun because a later change failed."""
    changes: tuple[StepRecord, ...] = ()
    owner: Owner | None = None
    duration_ms: int = 0
    undone_by: str | None = None


TELLS = MappingProxyType(
    {"notify.show": "message", "chat.add_message": "content", "speech.say": "text", "log.write": "message"}
)
"""Operations that only tell the person something, each with the name of its text argument."""


NOT_KEPT = "not_kept"
"""The key in a plan's data that says why nothing of what an agent did by itself can be taken back."""


class Record(Struct, frozen=True):
    """One row of the journal: the part that never changes, and its progress in `marks`.

    `key` is the time-ordered integer that is encoded in `id`. `plan` is the JSON of `plan_json`. Times are ISO 8601 in
    UTC. `backends` lists the backend and account that served each store.
    """

    key: int
    id: str
    run: str
    index: int
    time: str
    dialect: str
    entry: str
    session: str
    operation: str | None
    arguments: Mapping[str, Json]
    marks: Progress
    said: str = ""
    label: str | None = None
    plan: Mapping[str, Json] | None = None
    verdict: Verdict | None = None
    digest: str | None = None
    policy: str | None = None
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    expires: str | None = None
    undo_of: str | None = None
    dry_run: bool = False
    code_hash: str | None = None
    edit_of: str | None = None
    """The id of the action that the person edited into this one.

    If the person added this action while editing a run, the id of that run.
    """
    label_by_us: bool = False
    """Whether sayso wrote `label` because the model wrote none."""
    template_id: str | None = None
    """The id of the person's own action that the proposal named, if any."""
    exposed: tuple[str, ...] = ()
    """The sources of outside text that the model had read before it proposed this action.

    They are names of parts of the prompt, and ids of operations done earlier for the same principal.
    """
    principal: str = ""
    """On whose behalf it was proposed; empty for the usual one of the entry point (`core.proposal.principal_of`)."""
    outside: bool = False
    """Whether its result may contain text of strangers; if it is done, its principal counts as exposed to it."""
    near_outside: bool = False
    """Whether a store of its operation holds text of strangers, so that what is reported of it may quote some."""
    warns: tuple[str, ...] = ()
    """The warnings of its origin, which its plan and the questions about it and about edits of it name."""

    @property
    def state(self) -> State:
        """Return the state of the action."""
        return self.marks.state

    @property
    def summary(self) -> str:
        """Return what it would do, or did, in one sentence; without a plan, the name of its operation."""
        return str((self.plan or {}).get("summary") or self.operation or "")

    @property
    def about(self) -> str:
        """Return what it was about and how it ended, in one sentence."""
        summary = str(self.plan["summary"]) if self.plan else self.marks.message or self.said
        error = self.marks.error
        if error:
            return error if summary in error else f"{error} ({summary})"
        return summary or str(self.operation)

    @property
    def reports(self) -> bool:
        """Return whether it tells the person something for an action of their own, which may speak of all before it."""
        return self.code_hash is not None and self.operation in TELLS

    def marked(self, **marks: Any) -> "Record":
        """Return the record with other marks and the same turn.

        The journal accepts an update only with the next turn, so the turn must be raised before the record is written.
        """
        return replace(self, marks=replace(self.marks, **marks))

    def moved(self, **marks: Any) -> "Record":
        """Return the record with other marks and the next turn.

        It can be written only if its row in the journal still has this record's turn.
        """
        return self.marked(turn=self.marks.turn + 1, **marks)
