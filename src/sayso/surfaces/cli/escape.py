"""Make every character visible: what acts on a terminal or hides in a text is written as its number."""

import re
import unicodedata

INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x1D159}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0000, 0xE1000))
)
"""Characters that count as letters, marks or signs and that nobody can see."""

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_OURS = re.compile(r"\\(?=u\{)|⟨(?=\d[\d,]* (?:spaces|empty lines)⟩)|⇥")
_PLAIN = re.compile(r"[\x20-\x7e]*")
_PADDING = re.compile(r" {20,}")
MOST_EMPTY = 3
"""So many empty lines show themselves; more are counted."""
_MARKS = 4
"""Combining marks in a row that a script needs; more of them only cover what stands above or below."""


def visible(text: str) -> str:
    """Return `text` on one line with nothing in it that acts, reorders or hides; two texts never look the same."""
    text = _OURS.sub(lambda found: _code(found.group()), text)
    if not _PLAIN.fullmatch(text):
        text = "".join(_written(text))
    return _PADDING.sub(lambda found: f"⟨{len(found.group()):,} spaces⟩", text)


def visible_lines(text: str) -> list[str]:
    """Return the lines of a text, each visible; many empty ones in a row are counted instead."""
    lines = ["⇥   ".join(visible(part) for part in line.split("\t")) for line in text.split("\n")]
    out: list[str] = []
    empty = 0
    for line in [*lines, None]:
        if line == "":
            empty += 1
            continue
        out += [""] * empty if empty <= MOST_EMPTY else [f"⟨{empty:,} empty lines⟩"]
        empty = 0
        out += [] if line is None else [line]
    return out


def _written(text: str) -> list[str]:
    out: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        out.append(_code(letter) if marks > _MARKS or is_unseen(letter) else letter)
    return out


def is_unseen(letter: str) -> bool:
    """Say whether a character acts on what shows it, or cannot be seen, or looks like a plain space."""
    if " " <= letter <= "~":
        return False
    kind = unicodedata.category(letter)
    return kind in _UNSEEN or kind == "Zs" or ord(letter) in INVISIBLE


def _code(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"
