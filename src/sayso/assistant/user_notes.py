"""Notes that the person and other programs leave for models: their names, and which values they may have."""

from collections.abc import Sequence

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError

MOST, LONGEST = 50, 2000
"""Maximum number of values under one name, and maximum length of each."""
NUMBERS = frozenset({"work_minutes"})
LISTS = frozenset({"projects", "insights"})
_LONGEST_NAME = 40
_MOST_DIGITS = 6


def is_note_name(name: str) -> bool:
    """Return whether a note may have this name: small letters, digits and underscores, a letter first."""
    plain = name.isascii() and name[:1].isalpha() and len(name) <= _LONGEST_NAME
    return plain and name == name.lower() and name.replace("_", "").isalnum()


def note_value(name: str, values: Sequence[str]) -> Json:
    """Return the value to store: minutes as a number, projects and insights as a list, anything else as one text.

    Raises `ProposalError` if there are too many values, or one is too long or no number of minutes.
    """
    if len(values) > MOST or any(len(value) > LONGEST for value in values):
        raise ProposalError(f"at most {MOST} values of {LONGEST:,} characters each are taken", "context.value")
    if name in NUMBERS:
        (value, *more) = values
        if more or not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
            raise ProposalError("it is a number of minutes, such as 95", "context.value")
        return int(value)
    return [*values] if name in LISTS else " ".join(values)
