"""Tasks and habits, as the rest of the house sees them."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

TASKS = Provider(
    store="tasks",
    operations=LazySequence(
        {
            "sayso.providers.tasks.operations:OPERATIONS": (
                "task.add task.add_subtask task.edit task.delete task.complete task.reopen task.move "
                "task.add_all habit.add habit.edit habit.delete habit.log"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.tasks.model:STEPS": (
                "task.add task.remove task.edit task.unedit task.delete task.restore task.complete task.reopen "
                "task.add_all task.remove_all task.move task.unmove "
                "habit.add habit.remove habit.edit habit.unedit habit.delete habit.restore habit.log habit.unlog"
            ),
        }
    ),
    facts=LazySequence(
        {
            "sayso.providers.tasks.model:FACTS": (
                "task_active task_completed task task_was task_stood task_gone habit_there habit habit_was "
                "habit_done habit_gone"
            ),
        }
    ),
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
)
