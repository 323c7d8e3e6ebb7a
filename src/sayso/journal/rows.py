"""Convert rows of the journal to records, and records to rows."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from json.encoder import encode_basestring
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, fields, replace

from sayso.core.decision import Verdict
from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProposalError, SetupError, Spent
from sayso.core.grant import Grant
from sayso.core.ports import CountGrantUse
from sayso.core.record import (
    Owner,
    Progress,
    Record,
    State,
    StepOutcome,
    StepRecord,
    action_id,
    action_key,
    run_id,
    run_key,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Return a time as microseconds since 1970."""
    return (moment - EPOCH) // _MICROSECOND


def iso(moment: int) -> str:
    """Return microseconds since 1970 as ISO 8601, with milliseconds or, if these are not exact, microseconds."""
    fine = moment % 1000 != 0
    written = (EPOCH + moment * _MICROSECOND).isoformat(timespec="microseconds" if fine else "milliseconds")
    return written.removesuffix("+00:00") + "Z"


def to_stored_time(text: str | None) -> int | str | None:
    """Return the stored form of a time; `from_stored_time` returns exactly the same text again."""
    if text is None:
        return None
    moment = read(text)
    return text if moment is None or iso(moment) != text else moment


def from_stored_time(stored: float | str | None) -> str | None:
    """Return the text of a stored time."""
    return iso(stored) if isinstance(stored, int) else None if stored is None else str(stored)


def read(text: str) -> int | None:
    """Return the time of an ISO 8601 text, by default in UTC, as microseconds since 1970; None if it is not one."""
    try:
        moment = datetime.fromisoformat(text)
        return micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def parse_moment(text: str) -> int:
    """Return a time that a caller wrote, as microseconds since 1970. Raises `ProposalError` if it is not ISO 8601."""
    moment = read(text)
    if moment is None:
        raise ProposalError(f"“{text}” is no time; write it like 2025-01-06 or 2025-01-06T10:30:00Z", "time.malformed")
    return moment


Column = int | str | bytes | None

OF_ITS_RUN = ""
"""The stored session of an action whose session is its run; NULL means that there is no session."""
LIVE = frozenset({State.WAITING, State.RUNNING})
_HEX_DIGITS = 64
MAY_GO_BACK = frozenset({State.DONE, State.FAILED})

# The JSON of an empty plan; members with these values are left out of the row.
_EMPTY_PLAN: Mapping[str, Json] = {
    "summary": "", "loses": [], "sends": [], "changes": [], "on_failure": "undo", "said_when_done": "",
    "asks": False, "warns": [], "preview": "", "data": {},
}  # fmt: skip
_EMPTY_MARKS: Mapping[str, Json] = {
    field.name: field.default for field in fields(Progress) if field.name not in {"state", "turn"}
}
_NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in (Verdict, Owner)}
_EMPTY_VERDICT: Mapping[str, Json] = {"level": "none", "code": "", "approved_by": None}

# For texts, whole numbers and null, these write the RFC 8785 form, except that numbers beyond 2⁵³ stay numbers.
_FLAT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ONE: Mapping[type, Callable[[Any], str]] = {str: encode_basestring, int: str, type(None): lambda _: "null"}


class RowContent(Struct, frozen=True):
    """An action without its marks, as columns; `origin` and `body` are JSON text."""

    key: int
    run: Column
    index: int
    operation: str
    time: Column
    origin: str
    session: str | None
    undo_of: Column
    expires: Column
    digest: Column
    body: str

    @property
    def seal(self) -> bytes:
        """Return the first 16 bytes of a hash of the content, which reveal any change to it."""
        digest = self.digest.hex() if isinstance(self.digest, bytes) else self.digest
        return _seal([
            self.key, self.run, self.index, self.operation, self.time, self.origin, self.session, self.undo_of,
            self.expires, digest, self.body,
        ])  # fmt: skip


def fixed_columns(record: Record) -> RowContent:
    """Return all columns of a record except its marks. Raises `ValueError` if its id does not belong to its key."""
    if record.id != action_id(record.key):
        raise ValueError(f"the id of key {record.key} is {action_id(record.key)}, not {record.id}")
    origin: dict[str, Json] = {"dialect": record.dialect, "entry": record.entry}
    origin |= {"policy": record.policy} if record.policy is not None else {}
    origin |= {"backends": dict(sorted(record.backends.items()))} if record.backends else {}
    return RowContent(
        key=record.key,
        run=_run_column(record.run),
        index=record.index,
        operation=record.operation or "",
        time=to_stored_time(record.time),
        origin=encode_json(origin),
        session=_session_column(record),
        undo_of=None if record.undo_of is None else _action_column(record.undo_of),
        expires=to_stored_time(record.expires),
        digest=None if record.digest is None else _digest_column(record.digest),
        body=encode_json(_body(record)),
    )


def _body(record: Record) -> dict[str, Json]:
    body: dict[str, Json] = {"said": record.said} if record.said else {}
    if record.arguments:
        body["arguments"] = record.arguments
    if record.plan is not None:
        # A document with other members than those of `plan_json` is stored unchanged.
        whole = record.plan.keys() != _EMPTY_PLAN.keys()
        body |= {"document": record.plan} if whole else {"plan": _without(record.plan, _EMPTY_PLAN)}
    if record.verdict is not None:
        body["verdict"] = _without(_members(record.verdict), _EMPTY_VERDICT)
    plain = {
        "label": record.label,
        "label_by_us": record.label_by_us or None,
        "dry_run": record.dry_run or None,
        "code_hash": record.code_hash,
        "edit_of": record.edit_of,
        "template_id": record.template_id,
        "exposed": list(record.exposed) or None,
        "principal": record.principal or None,
        "outside": record.outside or None,
        "near_outside": record.near_outside or None,
        "warns": list(record.warns) or None,
    }
    return body | {name: value for name, value in plain.items() if value is not None}


def _read_exposed(written: Json) -> tuple[str, ...]:
    """Return where text of strangers was read; an older sayso stored only whether there was such text."""
    return ("unknown",) if written is True else tuple(map(str, cast("list[Json]", written or [])))


def marks_text(marks: Progress) -> str:
    """Return the JSON of the marks, without state and turn."""
    told = {name: value for name in _EMPTY_MARKS if (value := getattr(marks, name)) != _EMPTY_MARKS[name]}
    if marks.changes:
        told["changes"] = [_mark_json(mark) for mark in marks.changes]
    if marks.owner:
        told["owner"] = _members(marks.owner)
    return encode_json(told)


def marks_seal(state: str, turn: int, text: str) -> bytes:
    """Return the first 16 bytes of a hash of the marks, which reveal any change to them."""
    return _seal([state, turn, text])


def can_go_back(record: Record) -> bool:
    """Return whether any change of the record can be undone: done, with an undo step, and not undone yet."""
    marks = record.marks
    if marks.state not in MAY_GO_BACK or record.undo_of or record.dry_run or marks.undone_by or not record.plan:
        return False
    changes = cast("list[Mapping[str, Json]]", record.plan.get("changes", []))
    return any(
        mark.outcome is StepOutcome.DONE
        and mark.left is not None  # None if the person said how it ended: then its facts are unknown
        and "cannot" not in cast("Mapping[str, Json]", change.get("undo", {"cannot": ""}))
        for change, mark in zip(changes, marks.changes, strict=False)
    )


def record_of(row: RowContent, state: str, turn: int, marks: str) -> Record:
    """Return the record of a row. Raises `SetupError` if the row is damaged."""
    try:
        return _record(row, State(state), turn, cast("dict[str, Any]", decode_json(marks)))
    except (ValueError, TypeError, KeyError, AttributeError, msgspec.MsgspecError) as damaged:
        raise SetupError(
            f"the journal's row of {action_id(row.key)} is damaged; `sayso log verify` says what else is",
            "journal.damaged",
        ) from damaged


def _record(row: RowContent, state: State, turn: int, marks: dict[str, Any]) -> Record:
    body = cast("dict[str, Any]", decode_json(row.body))
    origin = cast("dict[str, Any]", decode_json(row.origin))
    plan = {**_EMPTY_PLAN, **body["plan"]} if "plan" in body else body.get("document")
    return Record(
        key=row.key,
        id=action_id(row.key),
        run=cast("str", _run(row.run)),
        index=row.index,
        time=cast("str", from_stored_time(cast("int", row.time))),
        dialect=origin["dialect"],
        entry=origin["entry"],
        session=session_of(row.session, row.run),
        operation=row.operation or None,
        arguments=body.get("arguments", {}),
        marks=_marks(state, turn, marks),
        said=body.get("said", ""),
        label=body.get("label"),
        label_by_us=body.get("label_by_us", False),
        template_id=body.get("template_id"),
        exposed=_read_exposed(body.get("exposed")),
        principal=body.get("principal", ""),
        outside=body.get("outside", False),
        near_outside=body.get("near_outside", False),
        warns=tuple(body.get("warns", ())),
        plan=plan,
        verdict=Verdict(**body["verdict"]) if "verdict" in body else None,
        digest=_digest(row.digest),
        policy=origin.get("policy"),
        backends=origin.get("backends", {}),
        expires=from_stored_time(cast("int | None", row.expires)),
        undo_of=_action(row.undo_of),
        dry_run=body.get("dry_run", False),
        code_hash=body.get("code_hash"),
        edit_of=body.get("edit_of"),
    )


def _marks(state: State, turn: int, told: dict[str, Any]) -> Progress:
    changes = tuple(StepRecord(StepOutcome(mark["outcome"]), mark.get("left")) for mark in told.pop("changes", ()))
    owner = Owner(**told.pop("owner")) if "owner" in told else None
    return Progress(state, turn, changes=changes, owner=owner, **told)


def _mark_json(mark: StepRecord) -> dict[str, Json]:
    told: dict[str, Json] = {"outcome": mark.outcome.value}
    return told if mark.left is None else {**told, "left": mark.left}


def _members(value: Verdict | Owner) -> dict[str, Json]:
    return {name: getattr(value, name) for name in _NAMES[type(value)]}


def _without(members: Mapping[str, Json], empty: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: value
        for name, value in members.items()
        if name not in empty or value not in (empty[name], ()) or not _same(value, empty[name])
    }


def _same(value: Json, other: Json) -> bool:
    # In JSON, () is the same as [], but 0 is not the same as false.
    return (value == other and (type(value) is type(other))) or (value == () and other == [])


def encode_json(value: Json) -> str:
    """Return compact JSON text; lone surrogates and whole numbers of any size are allowed."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, OverflowError, TypeError):
        return json.dumps(value, separators=(",", ":"))


def decode_json(text: str) -> Json:
    """Return the value that `encode_json` wrote."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


def _seal(content: list[Json]) -> bytes:
    try:
        text = "[" + ",".join([_ONE[type(value)](value) for value in content]) + "]"
    except KeyError:  # a damaged row may hold anything
        text = _FLAT(content)
    return hashlib.sha256(text.encode()).digest()[:16]


def _run_column(run: str) -> Column:
    return _number(run, run_key, run_id)


def _session_column(record: Record) -> str | None:
    return OF_ITS_RUN if record.session and record.session == record.run else record.session or None


def session_of(session: str | None, run: Column) -> str:
    """Return the session in a row, given its columns `session` and `run`."""
    return str(_run(run)) if session == OF_ITS_RUN else session or ""


def _action_column(action: str) -> Column:
    return _number(action, action_key, action_id)


def _number(text: str, key: Any, id_of: Any) -> Column:
    try:
        found = key(text)
    except ProposalError:
        return text
    return found if id_of(found) == text else text


def _run(column: Column) -> Json:
    return run_id(column) if isinstance(column, int) else column


def _action(column: Column) -> str | None:
    return action_id(column) if isinstance(column, int) else cast("str | None", column)


def _digest_column(digest: str) -> Column:
    start, _, digits = digest.partition(":")
    plain = start == "sha256" and len(digits) == _HEX_DIGITS and not digits.strip("0123456789abcdef")
    return bytes.fromhex(digits) if plain else digest


def _digest(column: Column) -> str | None:
    return "sha256:" + column.hex() if isinstance(column, bytes) else cast("str | None", column)


OWN = 4
"""The number of abbreviated texts that a row may have of its own."""
WORTH = 6
"""Texts of at most this length are not abbreviated."""
_OWN = re.compile("[\x01-\x04]")
_COMMON = re.compile("[\x05-\x1f]")
_CHARACTERS = tuple(map(chr, range(1 + OWN, 32)))
_FIRST_NUMBER = re.compile(r'(?<=":)\d')

Texts = tuple[str | None, str | None, str | None, str | None]
"""The texts of a row that are abbreviated in it; common texts within them are already replaced by characters."""


class Shorthand(Struct, frozen=True):
    """The common texts of a journal, each of which is stored as one character; the first is character 5."""

    common: tuple[str, ...]

    def texts(self, arguments: Mapping[str, Json], plan: Mapping[str, Json] | None) -> Texts:
        """Return the texts to abbreviate in a row: its two longest arguments, the home folder, and an expected fact."""
        values = [value for value in arguments.values() if isinstance(value, str)]
        longest = sorted(
            {_quote_value(value.removeprefix("~")) for value in values}, key=lambda text: (-len(text), text)
        )[:2]
        change = _first_change(plan)
        texts = (*(*longest, "", "")[:2], _home(change, longest), self._shorten(_digest_of_change(change)))
        first, second, third, fourth = (text if len(text) > WORTH else None for text in texts)
        return first, second, third, fourth

    def short(self, text: str, texts: Texts) -> str:
        """Return JSON text with the common texts, and then those of the row, replaced by characters."""
        text = self._shorten(text)
        for code, own in enumerate(texts, 1):
            if own:
                text = text.replace(own, chr(code))
        return text

    def long(self, text: str, texts: Texts) -> str:
        """Return the text that `short` abbreviated."""
        text = _OWN.sub(lambda found: texts[ord(found.group()) - 1] or "", text)
        return _COMMON.sub(lambda found: self.common[ord(found.group()) - 1 - OWN], text)

    def _shorten(self, text: str) -> str:
        for character, common in zip(_CHARACTERS, self.common, strict=False):
            text = text.replace(common, character)
        return text


def _first_change(plan: Mapping[str, Json] | None) -> Mapping[str, Json]:
    changes = (plan or {}).get("changes")
    if isinstance(changes, list) and changes and isinstance(changes[0], dict):
        return cast("Mapping[str, Json]", changes[0])
    return {}


def _home(change: Mapping[str, Json], longest: list[str]) -> str:
    # An argument ~/a.txt occurs in the plan as /home/ana/a.txt.
    step = change.get("do")
    if not isinstance(step, dict):
        return ""
    for value in cast("Mapping[str, Json]", step).values():
        for tail in longest:
            if isinstance(value, str) and tail.startswith("/") and value.endswith(tail) and value != tail:
                return _quote_value(value.removesuffix(tail))
    return ""


def _digest_of_change(change: Mapping[str, Json]) -> str:
    # The facts before a change usually occur again in the facts after it.
    expects = change.get("expects")
    if not isinstance(expects, dict):
        return ""
    for abouts in cast("dict[str, Json]", expects).values():
        for members in cast("dict[str, Json]", abouts).values() if isinstance(abouts, dict) else ():
            if isinstance(members, dict) and len(seen := cast("dict[str, Json]", members)) > OWN:
                text = _quote_value(seen)
                start = _FIRST_NUMBER.search(text)
                return text[start.start() :] if start else text
    return ""


def _quote_value(value: Json) -> str:
    return encode_json(value)[1:-1]


def shorthand_of(connection: sqlite3.Connection) -> Shorthand:
    """Return the common texts of this journal."""
    return Shorthand(tuple(text for (text,) in connection.execute("SELECT text FROM short ORDER BY code")))


ROWS = """SELECT key, run, idx, operation, time, shared.text, session, undo_of, expires, digest, body, a, b, c, d,
    state, turn, marks, back FROM action JOIN shared ON shared.id = origin"""


def content_of(row: Sequence[object], shorthand: Shorthand) -> tuple[RowContent, Texts]:
    """Return the content of a row selected with `ROWS`, without abbreviations, and the row's abbreviated texts.

    Raises `SetupError` if the row is damaged.
    """
    texts = cast("Texts", tuple(row[11:15]))
    columns = cast("tuple[int, int, int, str, int, str, str, int, int, bytes, str]", tuple(row[:11]))
    try:
        return RowContent(*columns[:10], shorthand.long(columns[10], texts)), texts
    except (TypeError, IndexError) as damaged:
        raise SetupError(f"the journal's row of key {columns[0]} is damaged", "journal.damaged") from damaged


_OWN_COLUMNS = frozenset({"id", "uses", "revoked"})
_FIND = "SELECT uses, revoked, body FROM permission WHERE id = ?"
_WRITE = "INSERT OR REPLACE INTO permission VALUES (?, ?, ?, ?)"
_DEFAULTS = {field.name: field.default for field in fields(Grant)}


def put(connection: sqlite3.Connection, grant: Grant) -> Json:
    """Write a new permission, or its use count or revocation; return its entry for the audit row.

    The use count never decreases, and a revocation is never withdrawn.
    """
    known = _find_grant(connection, grant.id)
    if known is not None:
        # Uses and revocations that other processes wrote meanwhile are kept; the permitted action never changes.
        ended = known if known.revoked else grant
        used = max((known.last_used or "", grant.last_used or "")) or None
        grant = replace(
            known, uses=max(known.uses, grant.uses), last_used=used,
            revoked=ended.revoked, revoked_at=ended.revoked_at, revoked_by=ended.revoked_by,
        )  # fmt: skip
    return _write_grant(connection, grant)


def take(connection: sqlite3.Connection, use: CountGrantUse) -> Json:
    """Count one use of a permission; return its entry for the audit row. Raises `Spent` if no use is left."""
    grant = _find_grant(connection, use.grant)
    if grant is None or grant.revoked or (grant.most_uses is not None and grant.uses >= grant.most_uses):
        raise Spent(f"the standing permission {use.grant} is revoked or used up")
    return _write_grant(connection, replace(grant, uses=grant.uses + 1, last_used=use.at))


def grant_of(name: str, uses: int, revoked: int, body: str) -> Grant:
    """Return the permission of a row. Raises `SetupError` if the row is damaged."""
    try:
        told = cast("dict[str, Any]", decode_json(body))
        return msgspec.convert({**told, "id": name, "uses": uses, "revoked": bool(revoked)}, Grant)
    except (ValueError, TypeError, msgspec.MsgspecError) as damaged:
        raise SetupError(
            f"the journal's row of the standing permission {name} is damaged; `sayso log verify` says what else is",
            "journal.damaged",
        ) from damaged


def permission_seal(name: str, uses: int, revoked: int, body: str) -> str:
    """Return the hash of the row of a standing permission."""
    return hashlib.sha256(canonical([name, uses, revoked, body])).hexdigest()


def _find_grant(connection: sqlite3.Connection, name: str) -> Grant | None:
    found = connection.execute(_FIND, (name,)).fetchone()
    return None if found is None else grant_of(name, *found)


def _grant_body(grant: Grant) -> dict[str, Json]:
    """Return as JSON what has no column of its own: the scope, and every other value that is not the default."""
    members = {name: value for name, value in asdict(grant).items() if name not in _OWN_COLUMNS}
    return msgspec.to_builtins({n: v for n, v in members.items() if n == "scope" or v != _DEFAULTS[n]})


def _write_grant(connection: sqlite3.Connection, grant: Grant) -> Json:
    row = (grant.id, grant.uses, int(grant.revoked), encode_json(_grant_body(grant)))
    connection.execute(_WRITE, row)
    return {"id": grant.id, "row": permission_seal(*row)}
