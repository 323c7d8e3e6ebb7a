"""How a task or habit is put into facts, and what is read back out of the facts that a step left."""

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.providers.tasks.facts import HabitDone, HabitWas, TaskActive, TaskCompleted, TaskIs, TaskStood, TaskWas
from sayso.providers.tasks.store import Task


def state_of(task: Task) -> Fact:
    """Return that the task is active, or completed as it is."""
    return TaskActive(task.id) if task.completed_at is None else TaskCompleted(task.id, task.completed_at)


def exactly(task: Task) -> Fact:
    """Return that the task is as it is now, in everything a person can see."""
    return TaskIs(task.id, task.text, task.parent_id, task.position, task.completed_at)


def changed(what: str) -> ProviderError:
    """Return the refusal of a step whose target is not what was seen."""
    return ProviderError(f"{what} has changed since; nothing was done", "world.changed")


def gone(what: str) -> ProviderError:
    """Return the refusal of a step whose target is not there."""
    return ProviderError(f"the {what} is no longer on the list; nothing was done", "world.changed")


def was(expects: Facts, item_id: str) -> str:
    """Return the text a task had before. Raises `ProviderError` when no fact says it."""
    for fact in expects:
        if isinstance(fact, TaskWas) and fact.about == item_id:
            return fact.text
    raise ProviderError("the text it had before is not known; nothing was done", "world.changed")


def stood(expects: Facts, item_id: str) -> TaskStood:
    """Return where a task stood before. Raises `ProviderError` when no fact says it."""
    for fact in expects:
        if isinstance(fact, TaskStood) and fact.about == item_id:
            return fact
    raise ProviderError("the place it had before is not known; nothing was done", "world.changed")


def habit_was(expects: Facts, item_id: str) -> HabitWas:
    """Return what a habit was before. Raises `ProviderError` when no fact says it."""
    for fact in expects:
        if isinstance(fact, HabitWas) and fact.about == item_id:
            return fact
    raise ProviderError("what it was before is not known; nothing was done", "world.changed")


def before_that(expects: Facts, item_id: str) -> str | None:
    """Return when a habit was done before the last time."""
    return next((fact.before for fact in expects if isinstance(fact, HabitDone) and fact.about == item_id), None)
