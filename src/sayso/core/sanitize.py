"""Write data from strangers so that it cannot end its own section, be invisible, or control a terminal (X-08)."""

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
"""Invisible characters that a model reads nevertheless."""


def fence_data(name: str, data: Json) -> str:
    """Return data between `<name>` and `</name>`: a text as it is, a list as JSON with one entry on each line.

    In the data, `<`, `>` and control or invisible characters are written as JSON escapes, so the end tag occurs only
    once; the value of the JSON stays the same.
    """
    return f"<{name}>\n{_within(data)}\n</{name}>"


def _within(data: Json) -> str:
    if isinstance(data, str):
        return harmless(data)
    entries = cast("list[Json]", data) if isinstance(data, list) else [data]
    return "\n".join(_line(entry) for entry in entries) or "(none)"


def harmless(text: str) -> str:
    r"""Return the text with `<`, `>` and all control or invisible characters written as `\u` escapes."""
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
