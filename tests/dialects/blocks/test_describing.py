"""The prompt of json-action blocks teaches what is read, and only what may be done."""

import pytest

from sayso.dialects.blocks import BLOCKS
from sayso.dialects.blocks.describing import EXAMPLES, example, fenced
from sayso.dialects.reading import read
from tests.dialects.replies import OPERATIONS

PROMPT = BLOCKS.describe(list(OPERATIONS.values()))
SEVEN = "add_task add_subtask edit_task delete_task add_habit edit_habit delete_habit"


@pytest.mark.req("S2-36", "S2-38", "S2-39")
def test_the_prompt_describes_every_type_with_an_example():
    for name in SEVEN.split():
        assert f'"type": "{name}"' in PROMPT
    assert "conversational text around the blocks" in PROMPT
    assert "begin with a verb such as Add, Delete or Rename, and name the item" in PROMPT


@pytest.mark.req("S2-07", "S2-37", "T-12")
def test_the_prompt_says_what_hours_mean_and_what_cannot_be_changed_and_names_only_what_is_enabled():
    assert "24 is daily, 4 is every four hours" in PROMPT
    assert "Completed tasks are shown for context only" in PROMPT
    few = BLOCKS.describe([OPERATIONS["task.add"]])
    assert "habit" not in few.replace("tasks and habits", "")
    assert BLOCKS.describe([OPERATIONS["file.move"]]) == ""


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_of_the_prompt_reads_as_what_it_shows(name: str):
    (proposal,) = read(BLOCKS, OPERATIONS, fenced(example(name))).proposals

    assert proposal.problem is None
    assert (proposal.given[0], proposal.label) == (name, EXAMPLES[name]["label"])
    assert example(name) in PROMPT
