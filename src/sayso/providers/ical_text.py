"""The lines of an iCalendar text (RFC 5545): their syntax, folding and escapes.

Calendars and exported lists of tasks use them.
"""

import re
from collections.abc import Iterator

_FOLD = 75
"""Maximum length of a line in octets; longer lines are folded."""
_PROPERTY = re.compile(
    r"(?P<name>[A-Za-z0-9-]+)(?P<params>(?:;[^:;\"=]+=(?:\"[^\"]*\"|[^:;\"])*)*):(?P<value>.*)", re.DOTALL
)
_ESCAPED = re.compile(r"\\([\\;,nN])")


def split_property(line: str) -> re.Match[str] | None:
    """Return the `name`, the `params` and the `value` of a property, or None if the line is none."""
    return _PROPERTY.fullmatch(line)


def fold_line(line: str) -> Iterator[str]:
    """Yield a line in pieces of at most 75 octets, split between characters; all but the first begin with a space."""
    part, size = "", 0
    for char in line:
        wide = len(char.encode("utf-8", "surrogatepass"))
        if size + wide > _FOLD:
            yield part
            part, size = " ", 1
        part, size = part + char, size + wide
    yield part


def escape_marks(text: str) -> str:
    """Return a text with backslashes, semicolons and commas escaped, but not its line breaks."""
    return re.sub(r"([\\;,])", r"\\\1", text)


def unescape(value: str) -> str:
    """Return the text of an escaped value."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
