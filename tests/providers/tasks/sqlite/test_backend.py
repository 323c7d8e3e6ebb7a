"""Tasks are told in the order of the list, however they are found."""

from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.sqlite.backend import build, in_order
from sayso.providers.tasks.store import Task
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial
from sayso.testing.tasks import reads


def test_each_task_stands_before_its_subtasks_and_siblings_by_position():
    tasks = [Task("d", "D", "a", 2), Task("b", "B", None, 2), Task("c", "C", "a", 1), Task("a", "A", None, 1)]

    assert [task.text for task in in_order(tasks, None)] == ["A", "C", "D", "B"]
    assert [task.text for task in in_order(tasks, "a")] == ["C", "D"]


@pytest.mark.req("T-59", "T-71")
async def test_what_is_found_stands_in_list_order(tmp_path: Path):
    trial = Trial(TASKS, build(Ground({}, "/home/ana", str(tmp_path), (), FakeClock(), RandomIds())))
    texts = ["Later wine", "Below wine", "Wine first", "Deep wine"]
    await trial.do(await trial.plan("task.add_all", texts=texts, levels=[0, 1, 0, 1]))
    await trial.do(await trial.plan("task.move", target="Wine first", where="before", other="Later wine"))

    found = await reads(trial).find_active("wine")

    assert [task.text for task in found] == ["Wine first", "Deep wine", "Later wine", "Below wine"]
    assert [task.position for task in found] == [-0.0 + 0, 1, 1, 1]
