"""Tasks and habits, as the rest of the house sees them."""

from sayso.core.later import Later
from sayso.core.provider import Provider

TASKS = Provider(
    store="tasks",
    operations=Later(
        {
            "sayso.providers.tasks.operations:OPERATIONS": (
                "task.add task.add_subtask task.edit task.delete task.complete task.reopen habit.add habit.edit "
                "habit.delete habit.log"
            ),
        }
    ),
    steps=Later(
        {
            "sayso.providers.tasks.steps:STEPS": (
                "task.add task.remove task.edit task.unedit task.delete task.restore task.complete task.reopen "
                "habit.add habit.remove habit.edit habit.unedit habit.delete habit.restore habit.log habit.unlog"
            ),
        }
    ),
    facts=Later(
        {
            "sayso.providers.tasks.facts:FACTS": (
                "task_active task_completed task task_was task_gone habit_there habit habit_was habit_done habit_gone"
            ),
        }
    ),
    backends={"memory": "sayso.providers.tasks.memory:build"},
)
