"""Tasks and habits: what this provider offers to the rest of sayso."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.core.settings import memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

TASKS = Provider(
    store="tasks",
    operations=LazySequence(OPERATIONS["tasks"]),
    steps=LazySequence(STEPS["tasks"]),
    facts=LazySequence(FACTS["tasks"]),
    outside=(),
    backends={
        "sqlite": "sayso.providers.tasks.sqlite.backend:build",
        "memory": "sayso.providers.tasks.memory:build",
    },
    default="sqlite",
    kinds={"sqlite": "the journal's own database"},
    context={
        **dict.fromkeys(
            ("task.add", "task.edit", "task.delete", "task.complete"), "sayso.providers.tasks.context:tasks"
        ),
        **dict.fromkeys(
            ("habit.add", "habit.edit", "habit.delete", "habit.log"), "sayso.providers.tasks.context:habits"
        ),
    },
    serves="tasks and habits",
    settings=(memory_world("tasks"),),
)
