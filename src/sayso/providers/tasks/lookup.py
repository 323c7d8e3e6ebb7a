"""Find the one task or habit that a text names, or say what to write instead."""

import difflib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError
from sayso.core.normal_forms import normal_form
from sayso.core.quotes import quoted
from sayso.providers.tasks.lists import Habit, Task
from sayso.providers.tasks.store import MOST_FOUND, Tasks

DAY, WEEK = 24, 7 * 24
_PLAIN_QUOTES = str.maketrans("“”„‟", '""""')
_UNSEEN = frozenset({"Cf", "Zs"})
"""Categories of characters that cannot be seen: spaces and formatting marks."""


def require_text(text: str, name: str = "text") -> str:
    """Return the trimmed text. Raises `ProposalError` if it has no visible characters (T-70)."""
    words = text.strip()
    if all(unicodedata.category(char) in _UNSEEN for char in words):
        raise ProposalError(f"{quoted(name)} must be a text that is not only blanks", "arguments.type")
    return words


def quote(text: str) -> str:
    """Return a text in quotes; quotes inside it are replaced, so that it cannot end the quotation (X-08)."""
    return quoted(text.translate(_PLAIN_QUOTES))


def every(hours: float) -> str:
    """Return an interval in words: “daily”, “every 2 days”, “every 4 hours”."""
    if hours == DAY:
        return "daily"
    if hours == WEEK:
        return "weekly"
    if hours == 1:
        return "every hour"
    if hours > DAY and hours % DAY == 0:
        return f"every {int(hours / DAY)} days"
    return f"every {int(hours) if hours.is_integer() else hours} hours"


def due_at(habit: Habit) -> datetime:
    """Return when a habit is due next; a habit that was never done is due from the time at which it was added."""
    if habit.last_done_at is None:
        return datetime.fromisoformat(habit.created_at)
    return datetime.fromisoformat(habit.last_done_at) + timedelta(hours=habit.interval_hours)


class HabitDocument(Habit, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A habit, when it is due next, and whether that is now."""

    due_at: str
    due: bool


def habit_document(habit: Habit, now: datetime) -> HabitDocument:
    """Return a habit with when it is due next and whether that is now."""
    due = due_at(habit)
    return HabitDocument(**asdict(habit), due_at=due.isoformat().replace("+00:00", "Z"), due=due <= now)


def habit_json(habit: Habit, now: datetime) -> dict[str, Json]:
    """Return the same as JSON."""
    return to_builtins(habit_document(habit, now))


T = TypeVar("T")

GENERIC = frozenset(
    {"task", "tasks", "todo", "habit", "habits", "item", "the", "a", "an", "my", "for", "to"}
)  # fmt: skip
"""Words that do not help to distinguish one item from another."""

_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "„": "“”",
    "”": "”",
    "‘": "’",
    "\u201a": "‘’",
    "’": "’",
    "«": "»",
    "»": "«",
}


def normalize(text: str) -> str:
    """Return the text in its form for comparison: case-folded, spaces collapsed, and without quotes around the text."""
    folded = normal_form(normal_form(text).casefold())
    plain = " ".join(folded.split())
    while len(plain) > 1 and plain[-1] in _QUOTES.get(plain[0], ""):
        plain = plain[1:-1].strip()
    return plain


def matching(query: str, items: Sequence[T], text_of: Callable[[T], str]) -> tuple[T, ...]:
    """Return the items that match the query, in their order.

    Four kinds of match are tried in this order, and the first one that finds an item is used: (1) the item equals the
    query; (2) the item contains the query; (3) the query contains the whole item as words; (4) every significant word
    of the query is a word of the item or the start of one. An empty query matches nothing.
    """
    wanted = normalize(query)
    if not wanted:
        return ()
    texts = [(item, normalize(text_of(item))) for item in items]
    for fits in (_equal, _contains, _within, fits_every_word):
        found = tuple(item for item, text in texts if text and fits(wanted, text))
        if found:
            return found
    return ()


def near(query: str, texts: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return up to `limit` texts that are spelled most like the query, the closest first."""
    known = {normalize(text): text for text in texts}
    close = difflib.get_close_matches(normalize(query), known, n=limit, cutoff=0.5)
    return tuple(known[text] for text in close)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a normalised text: sequences of letters, digits, marks and underscores."""
    return tuple("".join(char if _in_word(char) else " " for char in text).split())


def significant(query: str) -> tuple[str, ...]:
    """Return the words of a normalised query without generic ones such as “task” and “the”."""
    return tuple(word for word in words(query) if word not in GENERIC)


def _equal(query: str, item: str) -> bool:
    return query == item


def _contains(query: str, item: str) -> bool:
    return query in item


def _within(query: str, item: str) -> bool:
    start = query.find(item)
    while start >= 0:
        if stands_alone(query, start, start + len(item)):
            return True
        start = query.find(item, start + 1)
    return False


def stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether this part of a text consists of whole words: no word continues across its start or its end."""
    before = start > 0 and _in_word(text[start - 1]) and _in_word(text[start])
    after = end < len(text) and _in_word(text[end - 1]) and _in_word(text[end])
    return not before and not after


def fits_every_word(query: str, item: str) -> bool:
    """Say whether every significant word of a normalised query begins a word of a normalised text."""
    wanted, known = significant(query), words(item)
    return bool(wanted) and all(any(word.startswith(start) for word in known) for start in wanted)


def _in_word(char: str) -> bool:
    # A vowel sign or an accent may be a separate character, but it is part of the word.
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")


SHOWN = 10
"""How many candidates a message names at most."""


class _NamedCandidate(Struct, frozen=True):
    """A candidate; `needs_id` says that its quoted text is not enough, so a message must also give its place and id."""

    candidate: Candidate
    needs_id: bool

    @property
    def words(self) -> str:
        name, where = self.candidate.name, f"{self.candidate.where}, " if self.candidate.where else ""
        return f"{quote(name)} ({where}id {self.candidate.id})" if self.needs_id else quote(name)


async def active_task(tasks: Tasks, target: str) -> Task:
    """Return the one active task that `target` names, by id or by text.

    Raises `ProposalError`: `target.not_found` with similar names, or `target.ambiguous` with the candidates.
    """
    meant = await tasks.task(target)
    if meant is not None and meant.completed_at is None:
        return meant
    found = await tasks.find_active(target)
    if len(found) > 1:
        raise await ambiguous_tasks(tasks, target, found)
    if not found:
        done = (meant,) if meant else await tasks.find_completed(target)
        note = f" {quote(done[0].text)} is completed, and completed tasks are read-only." if done else ""
        raise _not_found("active task", target, await tasks.near_tasks(target, completed=False), note)
    return found[0]


async def find_completed_task(tasks: Tasks, target: str) -> Task:
    """Return the one completed task that `target` names; raises the same errors as `active_task`."""
    meant = await tasks.task(target)
    if meant is not None and meant.completed_at is not None:
        return meant
    found = await tasks.find_completed(target)
    if len(found) > 1:
        raise await ambiguous_tasks(tasks, target, found)
    if not found:
        raise _not_found("completed task", target, await tasks.near_tasks(target, completed=True))
    return found[0]


async def one_habit(tasks: Tasks, target: str) -> Habit:
    """Return the one habit that `target` names, by id or by text; raises the same errors as `active_task`."""
    meant = await tasks.habit(target)
    if meant is not None:
        return meant
    found = await tasks.find_habits(target)
    if len(found) > 1:
        places = [Candidate(habit.text, habit.id) for habit in found[:SHOWN]]
        raise _ambiguous("habits", target, _tell_apart(places, [habit.text for habit in found]), len(found))
    if not found:
        raise _not_found("habit", target, await tasks.near_habits(target))
    return found[0]


def in_part(target: str, item_id: str, text: str) -> tuple[str, ...]:
    """Return a warning if the target is only part of the item's text; empty if it is the item's id or whole text."""
    if target == item_id or normalize(target) == normalize(text):
        return ()
    return (f"{quote(target)} is not its whole text, and nothing else matches",)


async def ambiguous_tasks(tasks: Tasks, target: str, found: Sequence[Task]) -> ProposalError:
    """Return the error that lists the candidates; those with equal texts are named with parent and id (T-59)."""
    places = [Candidate(task.text, task.id, await _place(tasks, task)) for task in found[:SHOWN]]
    return _ambiguous("tasks", target, _tell_apart(places, [task.text for task in found]), len(found))


async def _place(tasks: Tasks, task: Task) -> str:
    parent = await tasks.task(task.parent_id) if task.parent_id else None
    return f"under {quote(parent.text)}" if parent else "at the top"


def _tell_apart(candidates: Sequence[Candidate], texts: Sequence[str]) -> list[_NamedCandidate]:
    """Return the candidates.

    One is named with its id if its text fits several candidates, or cannot be quoted exactly.
    """
    matched = Counter(map(normalize, texts))
    return [
        _NamedCandidate(one, matched[normalize(one.name)] > 1 or one.name not in quote(one.name)) for one in candidates
    ]


def _not_found(what: str, target: str, close: Sequence[str], note: str = "") -> ProposalError:
    names = ", ".join(quote(name) for name in close)
    hint = f" Close names: {names}." if names else ""
    near = tuple(Candidate(name) for name in close)
    return ProposalError(f"No {what} matches {quote(target)}.{note}{hint}", "target.not_found", near)


def _ambiguous(what: str, target: str, shown: Sequence[_NamedCandidate], total: int) -> ProposalError:
    rest = f"{total - len(shown)} more" if total < MOST_FOUND else "many more"
    more = f", and {rest}" if total > len(shown) else ""
    count = str(total) if total < MOST_FOUND else f"More than {MOST_FOUND - 1}"
    return ProposalError(
        f"{count} {what} match {quote(target)}: {', '.join(one.words for one in shown)}{more}. "
        f"Write {_what_names_one(shown)} of the one you mean.",
        "target.ambiguous",
        tuple(one.candidate for one in shown),
    )


def _what_names_one(shown: Sequence[_NamedCandidate]) -> str:
    """Say what the model must write to name just one of these: the id, or the exact text where that is enough."""
    by_id = [one.needs_id for one in shown]
    if all(by_id):
        return "the id"
    return "the id, where one is given, or else the exact text" if any(by_id) else "the exact text"
