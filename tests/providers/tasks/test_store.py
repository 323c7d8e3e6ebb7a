"""What a step left is read back out of its facts, each by what it is about."""

from collections.abc import Callable

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.tasks.model import HabitDone, HabitWas, TaskActive, TaskCompleted, TaskStood, TaskWas
from sayso.providers.tasks.store import Task, before_that, former_place, habit_was, state_of, was

FACTS = (TaskWas("a", "A"), TaskStood("a", "b", 1.5), HabitWas("h", "H", 24.0), HabitDone("h", "e", "then"))


def test_what_was_is_found_by_what_it_is_about():
    assert was(FACTS, "a") == "A"
    assert former_place(FACTS, "a") == TaskStood("a", "b", 1.5)
    assert habit_was(FACTS, "h") == HabitWas("h", "H", 24.0)
    assert before_that(FACTS, "h") == "then"


@pytest.mark.parametrize("read", [was, former_place, habit_was], ids=lambda read: read.__name__)
def test_what_is_not_known_is_not_made_up(read: Callable[[Facts, str], object]):
    with pytest.raises(ProviderError, match="is not known; nothing was done"):
        read(FACTS, "x")


def test_a_task_is_active_until_it_is_completed():
    assert state_of(Task("a", "A")) == TaskActive("a")
    assert state_of(Task("a", "A", completed_at="t")) == TaskCompleted("a", "t")
