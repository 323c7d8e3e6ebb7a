"""Show text from outside so that it cannot act, hide, reorder the line, or end the quotes around it.

`quoted` puts a value into sayso's own sentences, and `visible` is the last step before a person sees them. Different
texts give different results in both.
"""

import re
import unicodedata

FSI, PDI = "\u2068", "\u2069"
"""Put around right-to-left text by `visible`, so that it cannot reorder what stands beside it."""

INVISIBLE = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x1D159}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0000, 0xE1000))
)
"""Code points that are invisible although Unicode classifies them as letters, marks or symbols."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_MARKS = frozenset({"Mn", "Me", "Mc"})
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_MOST_MARKS = 4
"""Maximum number of consecutive combining marks; scripts need no more, and more would cover neighbouring lines."""
_OURS = re.compile(r"\\(?=u\{)|⟨(?=\d[\d,]* (?:spaces|empty lines)⟩)|⇥")
_PLAIN = re.compile(r"[\x20-\x7e“”…–]*")
_PADDING = re.compile(r" {20,}")
_SYMBOL = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_JOINED = f"{_SYMBOL}(?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
_TAGGED = (
    "\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)"
)
EMOJI = re.compile(
    f"[0-9#*]\ufe0f\u20e3|[\U0001f1e6-\U0001f1ff]{{2}}|\U0001f3f4{_TAGGED}\U000e007f"
    f"|{_JOINED}(?:\u200d{_JOINED}){{0,8}}"
)
"""An emoji with what belongs to it: a variation selector, a skin tone, the other parts of a joined one, a flag.

Only the three flags that are in use are written with tags, since any other text could hide in them.
"""
_CURLY = re.compile("[“”]")


def quoted(value: object) -> str:
    """Return a value between curly quotes; a curly quote in it is doubled, so that it cannot end the quotes."""
    return f"“{_CURLY.sub(_twice, str(value))}”"


def unquoted(text: str) -> str:
    """Return the value of a text that `quoted` returned."""
    return text[1:-1].replace("““", "“").replace("””", "”")


QUOTED = re.compile("(?<!“)“((?:[^“”]++|““|””)*+)”(?!”)")
"""Matches what `quoted` returns within a sentence."""


def _twice(found: re.Match[str]) -> str:
    return found.group() * 2


def visible(text: str) -> str:
    """Return `text` on one line; characters that control the terminal, reorder text or are invisible are escaped.

    Emoji stand as they are, with the selectors and joiners within them. Combining marks without a letter before them,
    and more than four in a row, are escaped too. Right-to-left text is isolated.
    """
    text = _OURS.sub(lambda found: _code(found.group()), text)
    if not _PLAIN.fullmatch(text):
        text = _isolate(_escape(text))
    return _PADDING.sub(lambda found: f"⟨{len(found.group()):,} spaces⟩", text)


def is_unseen(letter: str) -> bool:
    """Say whether a character is invisible, controls the terminal, or is a space other than U+0020."""
    if " " <= letter <= "~":
        return False
    return unicodedata.category(letter) in _UNSEEN or ord(letter) in INVISIBLE


def _escape(text: str) -> str:
    out: list[str] = []
    at = 0
    for emoji in EMOJI.finditer(text):
        if not any(unicodedata.category(letter) == "Cn" for letter in emoji.group()):
            out += [_escape_unseen(text[at : emoji.start()]), emoji.group()]
            at = emoji.end()
    return "".join([*out, _escape_unseen(text[at:])])


def _escape_unseen(text: str) -> str:
    out: list[str] = []
    marks, carries = 0, False
    for letter in text:
        if " " <= letter <= "~":
            marks, carries = 0, letter.isalnum()
            out.append(letter)
            continue
        kind = unicodedata.category(letter)
        is_mark = kind in _MARKS
        marks = marks + 1 if is_mark else 0
        hidden = kind in _UNSEEN or ord(letter) in INVISIBLE or (is_mark and (not carries or marks > _MOST_MARKS))
        out.append(_code(letter) if hidden else letter)
        carries = not hidden and (is_mark or kind[0] in "LN")
    return "".join(out)


def _isolate(text: str) -> str:
    """Put each run of right-to-left letters, with the blanks and marks between them, into an isolate of its own."""
    out: list[str] = []
    blanks, is_open = "", False
    for letter in text:
        side = "" if letter.isascii() else unicodedata.bidirectional(letter)
        if side in _RIGHT_TO_LEFT:
            out.append(blanks + letter if is_open else FSI + letter)
            blanks, is_open = "", True
        elif is_open and letter == " ":
            blanks += letter
        elif is_open and side == "NSM" and not blanks:
            out.append(letter)
        else:
            out.append(PDI + blanks + letter if is_open else letter)
            blanks, is_open = "", False
    return "".join(out) + (PDI + blanks if is_open else "")


def balance(lines: list[str]) -> list[str]:
    """Return the pieces of a visible text so that each opens and closes its own isolates."""
    out: list[str] = []
    is_open = False
    for line in lines:
        begins = FSI if is_open else ""
        is_open = line.rfind(FSI) > line.rfind(PDI) or (is_open and PDI not in line and FSI not in line)
        out.append(begins + line + (PDI if is_open else ""))
    return out


def _code(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"
