"""Canonical JSON and digests as other programs make them: `rfc8785` and `hashlib`, and nothing of sayso."""

import hashlib
from collections.abc import Mapping
from typing import Any, cast

import rfc8785

_EXACT = 2**53 - 1
_LONG = 4096


def canonical(value: Any) -> bytes:
    """Return canonical JSON, whole numbers beyond 2⁵³ as texts."""
    return rfc8785.dumps(_told(value, short=False))


def digest(value: Any) -> str:
    """Return the digest of a value, in which texts over 4 kB stand by hash and length."""
    return "sha256:" + hashlib.sha256(rfc8785.dumps(_told(value, short=True))).hexdigest()


def action_digest(operation: str, origin: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    """Return what an approval is bound to, from the columns of the journal's view; it shows no empty members."""
    empty: dict[str, Any] = {"summary": "", "changes": [], "loses": [], "sends": [], "on_failure": "undo"}
    plan: dict[str, Any] = {**empty, **body["plan"]} if "plan" in body else {}
    return digest(
        {
            "operation": operation,
            "arguments": body.get("arguments", {}),
            **{name: plan.get(name) for name in empty},
            "policy": origin["policy"],
            "handler": body.get("code_hash"),
        }
    )


def link(before: bytes, record: Mapping[str, Any]) -> bytes:
    """Return the hash of a row of the audit that follows the one with hash `before`."""
    return hashlib.sha256(b"\0" + before + canonical(record)).digest()


def _told(value: Any, *, short: bool) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    if isinstance(value, str):
        data = value.encode()
        return (
            {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} if short and len(data) > _LONG else value
        )
    if isinstance(value, Mapping):
        return {name: _told(one, short=short) for name, one in cast("Mapping[str, Any]", value).items()}
    return [_told(one, short=short) for one in value]
