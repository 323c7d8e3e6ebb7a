"""From the words of a model to the one task or habit it means, or the sentence that lets it mend them."""

from collections import Counter
from collections.abc import Sequence

from sayso.core.errors import Candidate, ProposalError
from sayso.core.values import dataclass
from sayso.providers.tasks.matching import normalised
from sayso.providers.tasks.store import MOST_FOUND, Habit, Task, Tasks
from sayso.providers.tasks.words import quoted

SHOWN = 10
"""How many candidates are named."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A candidate as a sentence names it; one of several with the same text is told apart by place and id."""

    candidate: Candidate
    told_apart: bool

    @property
    def words(self) -> str:
        name, where = self.candidate.name, f"{self.candidate.where}, " if self.candidate.where else ""
        return f"{quoted(name)} ({where}id {self.candidate.id})" if self.told_apart else quoted(name)


async def active_task(tasks: Tasks, target: str) -> Task:
    """Return the one active task that `target` means, by id or by text.

    Raises `ProposalError` with `target.not_found` and close names, or `target.ambiguous` and the candidates.
    """
    meant = await tasks.task(target)
    if meant is not None and meant.completed_at is None:
        return meant
    found = await tasks.find_active(target)
    if len(found) > 1:
        raise await ambiguous_tasks(tasks, target, found)
    if not found:
        done = (meant,) if meant else await tasks.find_completed(target)
        note = f" {quoted(done[0].text)} is completed, and completed tasks are read-only." if done else ""
        raise _not_found("active task", target, await tasks.near_tasks(target, completed=False), note)
    return found[0]


async def completed_task(tasks: Tasks, target: str) -> Task:
    """Return the one completed task that `target` means; raises as `active_task` does."""
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
    """Return the one habit that `target` means, by id or by text; raises as `active_task` does."""
    meant = await tasks.habit(target)
    if meant is not None:
        return meant
    found = await tasks.find_habits(target)
    if len(found) > 1:
        places = [Candidate(habit.text, habit.id) for habit in found[:SHOWN]]
        raise _ambiguous("habits", target, _told_apart(places, [habit.text for habit in found]), len(found))
    if not found:
        raise _not_found("habit", target, await tasks.near_habits(target))
    return found[0]


def in_part(target: str, item_id: str, text: str) -> tuple[str, ...]:
    """Return a warning where what was said names an item only in part; nothing where it is its id or whole text."""
    if target == item_id or normalised(target) == normalised(text):
        return ()
    return (f"{quoted(target)} is not its whole text, and nothing else matches",)


async def ambiguous_tasks(tasks: Tasks, target: str, found: Sequence[Task]) -> ProposalError:
    """Return the error that lists the candidates; texts that are matched alike are told apart by parent, id (T-59)."""
    places = [Candidate(task.text, task.id, await _place(tasks, task)) for task in found[:SHOWN]]
    return _ambiguous("tasks", target, _told_apart(places, [task.text for task in found]), len(found))


async def _place(tasks: Tasks, task: Task) -> str:
    parent = await tasks.task(task.parent_id) if task.parent_id else None
    return f"under {quoted(parent.text)}" if parent else "at the top"


def _told_apart(candidates: Sequence[Candidate], texts: Sequence[str]) -> list[_Said]:
    """Return the candidates, those with an id to be shown whose text means another one too, or is not shown exactly."""
    matched = Counter(map(normalised, texts))
    return [_Said(one, matched[normalised(one.name)] > 1 or one.name not in quoted(one.name)) for one in candidates]


def _not_found(what: str, target: str, close: Sequence[str], note: str = "") -> ProposalError:
    names = ", ".join(quoted(name) for name in close)
    hint = f" Close names: {names}." if names else ""
    near = tuple(Candidate(name) for name in close)
    return ProposalError(f"No {what} matches {quoted(target)}.{note}{hint}", "target.not_found", near)


def _ambiguous(what: str, target: str, shown: Sequence[_Said], total: int) -> ProposalError:
    rest = f"{total - len(shown)} more" if total < MOST_FOUND else "many more"
    more = f", and {rest}" if total > len(shown) else ""
    count = str(total) if total < MOST_FOUND else f"More than {MOST_FOUND - 1}"
    return ProposalError(
        f"{count} {what} match {quoted(target)}: {', '.join(one.words for one in shown)}{more}. "
        f"Write {_what_names_one(shown)} of the one you mean.",
        "target.ambiguous",
        tuple(one.candidate for one in shown),
    )


def _what_names_one(shown: Sequence[_Said]) -> str:
    """Say what names one of these alone: an exact text does not where another one is matched by it too."""
    by_id = [one.told_apart for one in shown]
    if all(by_id):
        return "the id"
    return "the id, where one is given, or else the exact text" if any(by_id) else "the exact text"
