"""A standing permission as a row, and back: what never changes stands in its body, with when it was used and ended."""

import hashlib
import sqlite3
from dataclasses import asdict, fields, replace
from typing import Any, cast

import msgspec

from sayso.core.canonical import Json, canonical
from sayso.core.errors import SetupError, Spent
from sayso.core.grant import Grant
from sayso.core.ports import Use
from sayso.journal.rows import decoded, encoded

_OWN_COLUMNS = frozenset({"id", "uses", "revoked"})
_FIND = "SELECT uses, revoked, body FROM permission WHERE id = ?"
_WRITE = "INSERT OR REPLACE INTO permission VALUES (?, ?, ?, ?)"
_NOTHING = {field.name: field.default for field in fields(Grant)}


def put(connection: sqlite3.Connection, grant: Grant) -> Json:
    """Write a new permission, or its uses or revocation, which never go back; return what the audit says of it."""
    known = _found(connection, grant.id)
    if known is not None:
        # What was counted or revoked meanwhile stays so; what it permits never changes.
        ended = known if known.revoked else grant
        used = max((known.last_used or "", grant.last_used or "")) or None
        grant = replace(
            known, uses=max(known.uses, grant.uses), last_used=used,
            revoked=ended.revoked, revoked_at=ended.revoked_at, revoked_by=ended.revoked_by,
        )  # fmt: skip
    return _written(connection, grant)


def take(connection: sqlite3.Connection, use: Use) -> Json:
    """Count a use; return what the audit says of it. Raises `Spent` where there is none left to be had."""
    grant = _found(connection, use.grant)
    if grant is None or grant.revoked or (grant.most_uses is not None and grant.uses >= grant.most_uses):
        raise Spent(f"the standing permission {use.grant} is revoked or used up")
    return _written(connection, replace(grant, uses=grant.uses + 1, last_used=use.at))


def grant_of(name: str, uses: int, revoked: int, body: str) -> Grant:
    """Return the permission of a row. Raises `SetupError` when the row cannot be read."""
    try:
        told = cast("dict[str, Any]", decoded(body))
        return msgspec.convert({**told, "id": name, "uses": uses, "revoked": bool(revoked)}, Grant)
    except (ValueError, TypeError, msgspec.MsgspecError) as damaged:
        raise SetupError(
            f"the journal's row of the standing permission {name} is damaged; `sayso log verify` says what else is",
            "journal.damaged",
        ) from damaged


def permission_seal(name: str, uses: int, revoked: int, body: str) -> str:
    """Return the hash of a standing permission's row."""
    return hashlib.sha256(canonical([name, uses, revoked, body])).hexdigest()


def _found(connection: sqlite3.Connection, name: str) -> Grant | None:
    found = connection.execute(_FIND, (name,)).fetchone()
    return None if found is None else grant_of(name, *found)


def _written(connection: sqlite3.Connection, grant: Grant) -> Json:
    told = {name: value for name, value in asdict(grant).items() if name not in _OWN_COLUMNS}
    row = (grant.id, grant.uses, int(grant.revoked), encoded({n: v for n, v in told.items() if v != _NOTHING[n]}))
    connection.execute(_WRITE, row)
    return {"id": grant.id, "row": permission_seal(*row)}
