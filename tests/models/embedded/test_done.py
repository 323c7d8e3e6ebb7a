"""What somebody says they have done is known, and what they have not done, or only partly said, is not taken for it."""

import pytest

from sayso.models.embedded.readings import Found, Several
from tests.models.embedded.scenes import acts, question, slot


@pytest.mark.parametrize("said", ["watered the ferns", "the ferns are watered", "just watered the ferns"])
def test_a_task_that_is_said_to_be_done_is_known(said: str):
    found = slot("task_done", said)

    assert isinstance(found, Found)
    assert found.value == "Water the ferns"


def test_a_part_of_a_task_is_asked_about():
    found = slot("task_done", "repaired the gate")

    assert isinstance(found, Several)
    assert [choice.value for choice in found.choices] == ["Repair the garden gate"]


@pytest.mark.parametrize(
    "said",
    ["water the ferns", "almost watered the ferns", "not watered the ferns", "watered", "are the ferns watered",
     "watered the roses", "watered everything", "'watered the ferns'"],
)  # fmt: skip
def test_what_is_not_said_to_be_done_is_not(said: str):
    assert slot("task_done", said) is None


def test_what_is_said_to_be_done_is_ticked_off_or_logged():
    assert acts("I stretched") == [("habit.log", {"target": "Stretch"})]
    assert acts("I just watered the ferns, tick it off") == [("task.complete", {"target": "Water the ferns"})]
    assert "Repair the garden gate" in question("I repaired the gate")
