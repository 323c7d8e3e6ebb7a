"""How tasks and habits are put into words."""

import unicodedata
from datetime import datetime, timedelta

from sayso.core.errors import ProposalError
from sayso.providers.tasks.store import Habit

DAY, WEEK = 24, 7 * 24
_PLAIN_QUOTES = str.maketrans("“”„‟", '""""')
_UNSEEN = frozenset({"Cf", "Zs"})
"""Spaces, and marks that only say how others are put."""


def said(text: str, name: str = "text") -> str:
    """Return the text trimmed. Raises `ProposalError` when nothing is left of it that can be seen (T-70)."""
    words = text.strip()
    if all(unicodedata.category(char) in _UNSEEN for char in words):
        raise ProposalError(f"“{name}” must be a text that is not only blanks", "arguments.type")
    return words


def quoted(text: str) -> str:
    """Return a text between quotes that nothing in it can close, for whoever reads the sentence around it (X-08)."""
    return f"“{text.translate(_PLAIN_QUOTES)}”"


def every(hours: float) -> str:
    """Return how often something is due: “daily”, “every 4 hours”."""
    if hours == DAY:
        return "daily"
    if hours == WEEK:
        return "weekly"
    if hours == 1:
        return "every hour"
    return f"every {int(hours) if hours.is_integer() else hours} hours"


def due_at(habit: Habit) -> datetime:
    """Return when a habit is due again; one that was never done has been since it was added."""
    if habit.last_done_at is None:
        return datetime.fromisoformat(habit.created_at)
    return datetime.fromisoformat(habit.last_done_at) + timedelta(hours=habit.interval_hours)
