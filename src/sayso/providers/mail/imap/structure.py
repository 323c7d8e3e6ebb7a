"""The tree of a message's parts as a server tells it (BODYSTRUCTURE), without reading the message."""

from collections.abc import Sequence
from email.utils import collapse_rfc2231_value, decode_params
from typing import cast

from sayso.providers.mail.mime.headers import decoded
from sayso.providers.mail.mime.shape import Part

_DEEPEST = 40
_SIMPLE, _TEXT, _MESSAGE = 8, 9, 11
"""Where the disposition stands, in a part of each kind."""


def part_of(told: object, section: str = "", depth: int = 0) -> Part:
    """Return the tree; what cannot be read is a part that nobody knows the type of."""
    items = cast("Sequence[object]", told) if isinstance(told, tuple | list) else ()
    if not items:
        return Part("application/octet-stream", section or "1")
    if isinstance(items[0], list) and depth < _DEEPEST:
        below = f"{section}." if section else ""
        children = cast("list[object]", items[0])
        parts = tuple(part_of(one, f"{below}{number}", depth + 1) for number, one in enumerate(children, 1))
        return Part(f"multipart/{_word(items, 1).lower() or 'mixed'}", section, parts=parts)
    return _leaf(items, section or "1")


def _leaf(items: Sequence[object], section: str) -> Part:
    kind = f"{_word(items, 0)}/{_word(items, 1)}".lower()
    params = _params(_at(items, 2))
    at = _TEXT if kind.startswith("text/") else _MESSAGE if kind == "message/rfc822" else _SIMPLE
    told = _at(items, at)
    disposed = cast("Sequence[object]", told) if isinstance(told, tuple | list) else ()
    more = _params(disposed[1]) if len(disposed) > 1 else {}
    size = _at(items, 6)
    return Part(
        kind,
        section,
        _word(items, 5).lower(),
        params.get("charset", ""),
        more.get("filename") or params.get("name", ""),
        _word(disposed, 0).lower(),
        size if isinstance(size, int) else 0,
    )


def _word(items: Sequence[object], at: int) -> str:
    found = _at(items, at)
    return found.decode("latin-1") if isinstance(found, bytes) else ""


def _at(items: Sequence[object], at: int) -> object:
    return items[at] if len(items) > at else None


def _params(told: object) -> dict[str, str]:
    items = cast("Sequence[object]", told) if isinstance(told, tuple | list) else ()
    words = [one if isinstance(one, bytes) else b"" for one in items]
    pairs = [(name.decode("latin-1").lower(), value) for name, value in zip(words[::2], words[1::2], strict=False)]
    plain = {name: decoded(value) for name, value in pairs if "*" not in name}
    coded = [(name, value.decode("latin-1")) for name, value in pairs if "*" in name]
    try:
        found = decode_params([("", ""), *coded])[1:]
        extended = {name: collapse_rfc2231_value(value, "replace", "utf-8").strip('"') for name, value in found}
    except (ValueError, LookupError, TypeError):
        extended = {}
    return {**plain, **extended}
