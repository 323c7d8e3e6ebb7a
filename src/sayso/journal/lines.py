"""One JSON value as one line of text, whatever is in it."""

import json
import re

from sayso.core.canonical import Json

# Line breaks of every kind, what moves a terminal's cursor or turns text around, halves of character pairs.
_ODD = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def line(value: Json) -> str:
    """Return compact JSON without any line break, and without characters that a screen hides or obeys."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ODD.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
