"""Write data so that nothing in it can end it, act on whoever reads it, or hide from them (X-08)."""

import json
import re
import unicodedata
from typing import cast

from sayso.core.encoding import Json

_PLAIN = re.compile(r"[\n\x20-\x3b=\x3f-\x7e]*")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_FILLERS = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)
"""Characters that nobody can see and that a model reads all the same."""


def fence_data(name: str, data: Json) -> str:
    """Return data between `<name>` and `</name>`: each entry of a list as JSON on a line of its own, a text as it is.

    In it `<`, `>` and what acts or hides are written as JSON writes them by number: there is one end, and between
    stands the same JSON.
    """
    return f"<{name}>\n{_within(data)}\n</{name}>"


def _within(data: Json) -> str:
    if isinstance(data, str):
        return harmless(data)
    entries = cast("list[Json]", data) if isinstance(data, list) else [data]
    return "\n".join(_line(entry) for entry in entries) or "(none)"


def harmless(text: str) -> str:
    """Return a text in which `<`, `>` and every character that acts or hides is written as its number."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_number(letter) if _acts(letter) else letter for letter in text)


def _line(entry: Json) -> str:
    return harmless(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))


def _acts(letter: str) -> bool:
    if letter in "<>":
        return True
    return letter != "\n" and (unicodedata.category(letter) in _UNSEEN or ord(letter) in _FILLERS)


def _number(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
